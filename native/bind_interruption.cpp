// Interruption, for Python: signals reach the thread that Python handles them in, a StopFlag all others.
#include <atomic>
#include <chrono>
#include <memory>

#include "bind.hpp"
#include "interruption.hpp"

namespace bnsieve {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenSignals{100};
constexpr unsigned kBetweenClocks = 32;  // questions between two looks at the clock

// Shared by those who work and the one who may stop them.
struct StopFlag {
  std::shared_ptr<std::atomic<bool>> raised = std::make_shared<std::atomic<bool>>(false);
};

struct Obedience {
  std::shared_ptr<std::atomic<bool>> raised;
  unsigned n_asked = 0;
  Clock::time_point looked = Clock::now();
};

Obedience& obedience() {
  thread_local Obedience own;
  return own;
}

}  // namespace

bool should_stop() {
  Obedience& own = obedience();
  if (own.raised && own.raised->load(std::memory_order_relaxed)) return true;
  if (++own.n_asked % kBetweenClocks) return false;
  const Clock::time_point now = Clock::now();
  if (now - own.looked < kBetweenSignals) return false;
  own.looked = now;
  nb::gil_scoped_acquire locked;
  return PyErr_CheckSignals() != 0;  // does nothing in threads that handle no signals
}

void bind_interruption(nb::module_& m) {
  nb::class_<StopFlag>(m, "StopFlag").def(nb::init<>()).def("raise_", [](StopFlag& flag) {
    flag.raised->store(true);
  });
  m.def("stop_if_asked", &stop_if_asked);
  m.def("obey", [](const StopFlag& flag) { obedience().raised = flag.raised; });
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Stopped&) {
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace bnsieve
