// Search for the order of the variables whose best parent sets score highest together.
//
// Every variable has a list of scored parent sets, best first; in an order it takes the first whose members
// all come before it. A move takes one variable out and puts it where the total is highest. When no move
// helps, a few related variables are displaced, or one of a variable's good parent sets is imposed until the
// others have adapted, and the search goes on from there; what does not end at least as well is undone. The
// budget is a number of such rounds, so that the result depends on the seed alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "interruption.hpp"

namespace bnsieve {

struct ParentSets {
  std::size_t n_variables;
  const std::int64_t* first_candidate;  // n_variables + 1 offsets into `candidates`
  const std::int32_t* candidates;
  const std::int64_t* first_set;  // n_variables + 1 offsets into `masks` and `scores`
  const std::uint32_t* masks;     // bit k: the variable's candidate k; the empty set is in every list
  const double* scores;           // descending within a variable
};

class OrderSearch {
 public:
  OrderSearch(const ParentSets& sets, const std::int32_t* order, std::uint64_t seed)
      : sets_(sets),
        order_(order, order + sets.n_variables),
        position_(sets.n_variables),
        chosen_(sets.n_variables),
        before_(sets.n_variables, 0),
        related_(sets.n_variables),
        banned_(sets.n_variables, 0),
        waiting_(sets.n_variables, 0),
        fixed_(sets.n_variables, 0),
        state_(seed) {
    const std::int32_t n = static_cast<std::int32_t>(sets.n_variables);
    for (std::int32_t v = 0; v < n; ++v) {
      std::uint32_t used = 0;  // a candidate that is in no set can stand anywhere
      for (std::int64_t i = sets.first_set[v]; i < sets.first_set[v + 1]; ++i) used |= sets.masks[i];
      for (std::int64_t c = sets.first_candidate[v]; c < sets.first_candidate[v + 1]; ++c) {
        const std::int32_t u = sets.candidates[c];
        const std::int32_t bit = static_cast<std::int32_t>(c - sets.first_candidate[v]);
        if (!(used >> bit & 1)) continue;
        link(v, u).parent_bit = bit;
        link(u, v).child_bit = bit;
      }
    }
    for (std::int64_t i = 0; i < sets.first_set[n]; ++i)
      if (std::isfinite(sets.scores[i])) tolerance_ = std::max(tolerance_, 1e-12 * std::abs(sets.scores[i]));
    place();
    for (std::int32_t v = 0; v < n; ++v) {
      for (const Link& near : related_[v])
        if (near.parent_bit >= 0 && position_[near.other] < position_[v]) before_[v] |= 1u << near.parent_bit;
      chosen_[v] = best(v, available(v));
    }
  }

  void run(std::size_t n_rounds) {
    for (const std::int32_t v : shuffled()) wait(v);
    climb();
    Standing kept = standing();
    for (std::size_t round = 0; round < n_rounds; ++round) {
      if (round % 2)
        impose();
      else
        displace(static_cast<std::int32_t>(below(order_.size())));
      climb();
      keep_if_no_worse(kept);
    }
  }

  // By how much the total falls if `child` may not have `parent` as its parent. The rest adapts from where
  // the search stands: first by itself, then `n_rounds` times after relatives of the two were displaced,
  // because an equivalent graph may lie several moves away of which none improves the total. All is put back.
  double fall_if_turned(std::int32_t parent, std::int32_t child, std::size_t n_rounds) {
    if (related_[child].empty() || related_[parent].empty()) return 0;  // nothing depends on their places
    const Standing start = standing();
    const std::int64_t first = sets_.first_candidate[child];
    for (std::int64_t c = first; c < sets_.first_candidate[child + 1]; ++c)
      if (sets_.candidates[c] == parent) banned_[child] = 1u << (c - first);
    move(child, place_of(child, parent));
    chosen_[child] = best(child, available(child));
    for (const std::int32_t v : {parent, child}) {
      wait_for_related(v);
      wait(v);
    }
    climb();
    Standing kept = standing();
    for (std::size_t round = 0; round < n_rounds && kept.total < start.total - tolerance_; ++round) {
      displace(round % 2 ? child : parent);
      climb();
      keep_if_no_worse(kept);
    }
    banned_[child] = 0;
    go_back_to(start);
    return start.total - kept.total;
  }

  const std::vector<std::int32_t>& order() const { return order_; }
  const std::vector<std::int64_t>& chosen() const { return chosen_; }
  double total() const {
    double sum = 0;
    for (const std::int64_t set : chosen_) sum += sets_.scores[set];
    return sum;
  }

 private:
  // How far down its list a set may stand to be imposed.
  static constexpr std::size_t kBestSets = 10;

  struct Link {
    std::int32_t other;
    std::int32_t parent_bit = -1;  // `other` is this candidate of ours
    std::int32_t child_bit = -1;   // we are this candidate of `other`
  };

  Link& link(std::int32_t v, std::int32_t u) {
    for (Link& known : related_[v])
      if (known.other == u) return known;
    related_[v].push_back({u});
    return related_[v].back();
  }

  std::uint32_t available(std::int32_t v) const { return before_[v] & ~banned_[v]; }

  std::int64_t best(std::int32_t v, std::uint32_t allowed) const {
    return best_from(sets_.first_set[v], allowed);
  }

  // The first allowed set from one on.
  std::int64_t best_from(std::int64_t set, std::uint32_t allowed) const {
    while (sets_.masks[set] & ~allowed) ++set;
    return set;
  }

  void place() {
    for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = static_cast<std::int32_t>(i);
  }

  std::uint32_t below(std::size_t bound) {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return static_cast<std::uint32_t>(((z >> 32) * bound) >> 32);
  }

  std::vector<std::int32_t> shuffled() {
    std::vector<std::int32_t> all(order_);
    std::sort(all.begin(), all.end());
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(i)]);
    return all;
  }

  void wait(std::int32_t v) {
    if (waiting_[v]) return;
    waiting_[v] = 1;
    queue_.push_back(v);
  }

  // Moves variables to their best places until none has a better one.
  void climb() {
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      stop_if_asked();
      const std::int32_t v = queue_[next];
      waiting_[v] = 0;
      if (!fixed_[v] && improve(v)) wait_for_related(v);
    }
    queue_.clear();
  }

  void wait_for_related(std::int32_t v) {
    for (const Link& near : related_[v]) wait(near.other);
  }

  // Hardly anything has moved since the last time: each goes down to its place.
  void sort_related(std::int32_t v) {
    std::vector<Link>& near = related_[v];
    for (std::size_t i = 1; i < near.size(); ++i) {
      const Link one = near[i];
      const std::int32_t place = position_[one.other];
      std::size_t at = i;
      for (; at > 0 && position_[near[at - 1].other] > place; --at) near[at] = near[at - 1];
      near[at] = one;
    }
  }

  bool improve(std::int32_t v) {
    std::vector<Link>& near = related_[v];
    sort_related(v);
    find_own_scores(v);
    // Totals relative to the place before all related variables.
    double others = 0, best_total = own_[0], current_total = own_[0];
    std::size_t best_gap = 0;
    for (std::size_t gap = 1; gap <= near.size(); ++gap) {
      const Link& passed = near[gap - 1];
      if (passed.child_bit >= 0) others += fall_if_passed(v, passed);
      const double here = own_[gap] + others;
      if (position_[passed.other] < position_[v]) current_total = here;
      if (here > best_total) {
        best_total = here;
        best_gap = gap;
      }
    }
    if (!(best_total > current_total + tolerance_))
      return false;  // nor where infinite scores leave no number
    move(v, best_gap);
    return true;
  }

  // The score that v would have after each of its related variables. From the last gap to the first fewer
  // parents are allowed, so that one pass through the list of sets finds all.
  void find_own_scores(std::int32_t v) {
    const std::vector<Link>& near = related_[v];
    std::uint32_t allowed = ~banned_[v];
    std::int64_t set = sets_.first_set[v];
    own_.resize(near.size() + 1);
    for (std::size_t gap = near.size();; --gap) {
      while (sets_.masks[set] & ~allowed) ++set;
      own_[gap] = sets_.scores[set];
      if (!gap) return;
      const std::int32_t bit = near[gap - 1].parent_bit;
      if (bit >= 0) allowed &= ~(1u << bit);
    }
  }

  // What a child's score changes by if v comes after it, not before. One of the two sets is the chosen one.
  double fall_if_passed(std::int32_t v, const Link& passed) const {
    const std::int32_t child = passed.other;
    const std::uint32_t bit = (1u << passed.child_bit) & ~banned_[child];
    const std::int64_t now = chosen_[child];
    if (position_[v] < position_[child]) {
      if (!(sets_.masks[now] & bit)) return 0;
      return sets_.scores[best_from(now, available(child) & ~bit)] - sets_.scores[now];
    }
    if (!bit) return 0;
    return sets_.scores[now] - sets_.scores[best(child, available(child) | bit)];
  }

  // Puts v right after the gap-th of its related variables (before the first, if gap is 0).
  void move(std::int32_t v, std::size_t gap) {
    const std::vector<Link>& near = related_[v];
    const std::int32_t from = position_[v];
    std::int32_t to = gap ? position_[near[gap - 1].other] + 1 : position_[near[0].other];
    if (to > from) --to;
    const auto first = order_.begin();
    if (to > from)
      std::rotate(first + from, first + from + 1, first + to + 1);
    else
      std::rotate(first + to, first + from, first + from + 1);
    for (std::int32_t i = std::min(from, to); i <= std::max(from, to); ++i) position_[order_[i]] = i;
    // Only to what was passed is it new where v stands.
    for (const Link& other : near) {
      const std::int32_t at = position_[other.other];
      const bool passed = to > from ? from <= at && at < to : to < at && at <= from;
      if (!passed) continue;
      if (other.parent_bit >= 0) before_[v] ^= 1u << other.parent_bit;
      if (other.child_bit < 0) continue;
      before_[other.other] ^= 1u << other.child_bit;
      chosen_[other.other] = best(other.other, available(other.other));
    }
    chosen_[v] = best(v, available(v));
  }

  // Where the search stands.
  struct Standing {
    std::vector<std::int32_t> order;
    std::vector<std::int64_t> chosen;
    std::vector<std::uint32_t> before;
    double total;
  };

  Standing standing() const { return {order_, chosen_, before_, total()}; }

  void go_back_to(const Standing& kept) {
    order_ = kept.order;
    chosen_ = kept.chosen;
    before_ = kept.before;
    place();
  }

  // Makes this the standing to go back to, or goes back.
  void keep_if_no_worse(Standing& kept) {
    const double now = total();
    if (now >= kept.total - tolerance_) {
      kept.order = order_;
      kept.chosen = chosen_;
      kept.before = before_;
      kept.total = now;
    } else {
      go_back_to(kept);
    }
  }

  // Moves a variable and a few of its relatives to random places among their relatives.
  void displace(std::int32_t v) {
    const std::size_t n_moves = 1 + below(4);
    for (std::size_t i = 0; i < n_moves && !related_[v].empty(); ++i) {
      sort_related(v);
      move(v, below(related_[v].size() + 1));
      wait_for_related(v);
      wait(v);
      v = related_[v][below(related_[v].size())].other;
    }
  }

  // Puts a variable after one of its best parent sets, or that set before it, and lets the others adapt
  // before any of these may move back. Where arrows of a whole family point the wrong way, no shorter way
  // leads out.
  void impose() {
    const std::int32_t v = static_cast<std::int32_t>(below(order_.size()));
    const std::size_t n_sets = static_cast<std::size_t>(sets_.first_set[v + 1] - sets_.first_set[v]);
    const std::int64_t set = sets_.first_set[v] + below(std::min(n_sets, kBestSets));
    std::vector<std::int32_t> members;
    for (std::int64_t c = sets_.first_candidate[v]; c < sets_.first_candidate[v + 1]; ++c)
      if (sets_.masks[set] >> (c - sets_.first_candidate[v]) & 1) members.push_back(sets_.candidates[c]);
    const bool move_members = below(2);
    for (const std::int32_t u : members) {
      if (position_[u] < position_[v]) continue;
      if (move_members)
        move(u, place_of(u, v));
      else
        move(v, place_of(v, u) + 1);
    }
    wait_for_related(v);
    for (const std::int32_t u : members) wait_for_related(u);
    members.push_back(v);
    for (const std::int32_t u : members) fixed_[u] = 1;
    climb();
    for (const std::int32_t u : members) fixed_[u] = 0;
    for (const std::int32_t u : members) wait(u);
  }

  // The number of variables related to v that stand before `other`, if it is one of them; else of all.
  std::size_t place_of(std::int32_t v, std::int32_t other) {
    sort_related(v);
    std::size_t place = 0;
    while (place < related_[v].size() && related_[v][place].other != other) ++place;
    return place;
  }

  const ParentSets sets_;
  std::vector<std::int32_t> order_, position_;
  std::vector<std::int64_t> chosen_;
  std::vector<std::uint32_t> before_;  // candidates of each variable that stand before it
  std::vector<std::vector<Link>> related_;
  std::vector<std::uint32_t> banned_;  // candidates that may not be parents for now
  std::vector<std::uint8_t> waiting_, fixed_;
  std::vector<std::int32_t> queue_;
  std::vector<double> own_;  // of the variable that is looked at, by gap
  std::uint64_t state_;
  double tolerance_ = 1e-9;  // gains below this are rounding
};

}  // namespace bnsieve
