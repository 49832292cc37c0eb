// Long loops ask here whether they should stop: somebody pressed Ctrl-C, or the pool they work for ended.
#pragma once

namespace bnsieve {

// Thrown by loops that stop; Python sees the exception that its signal handler raised, or KeyboardInterrupt.
struct Stopped {};

// To be asked from time to time, without the interpreter's lock held. It costs some nanoseconds; signals are
// looked for ten times a second.
bool should_stop();

inline void stop_if_asked() {
  if (should_stop()) throw Stopped{};
}

}  // namespace bnsieve
