// CSV text -> for each column its different cells, and for each row which one.
//
// A table of thousands of columns has few different cells in each: taking the text apart is then all that has
// to be done for every cell, and what a cell means is found out once for each different one, by whoever reads
// CSV otherwise. Only plain text is taken apart: the same number of cells in every line, quotes around whole
// cells. Whatever else there is, the caller is told so, and reads the file another way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interruption.hpp"

namespace bnsieve {

enum class CsvEnd { kRows, kTextTooShort, kNotPlain };

// Calls cell(column, first, last) for each cell of at most `n_rows` lines, quotes included, and row() after
// each line. `used` is then where the next line begins. Text that ends without a line break has a last line
// only if it `is_last`.
template <typename Cell, typename Row>
CsvEnd for_cells(const char* text, std::size_t size, std::size_t n_columns, char separator,
                 std::size_t n_rows, bool is_last, std::size_t& used, Cell cell, Row row) {
  const char *at = text, *const end = text + size;
  used = 0;
  for (std::size_t done = 0; done < n_rows; ++done) {
    if (at == end) return is_last ? CsvEnd::kRows : CsvEnd::kTextTooShort;
    if (!(done & 63)) stop_if_asked();
    for (std::size_t column = 0; column < n_columns; ++column) {
      const char* const first = at;
      if (end - at > 1 && at[1] == separator && *at != '"' && *at != separator && *at > '\r') {
        ++at;  // one character: most cells of wide tables
      } else if (at != end && *at == '"') {
        for (++at;; ++at) {
          at = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
          if (!at) return is_last ? CsvEnd::kNotPlain : CsvEnd::kTextTooShort;
          if (at + 1 == end || at[1] != '"') break;
          ++at;
        }
        ++at;
      } else {
        while (at != end && *at != separator && *at != '\n' && *at != '\r' && *at != '"') ++at;
      }
      const char* const last = at;
      if (at == end && !is_last) return CsvEnd::kTextTooShort;
      if (column + 1 < n_columns) {
        if (at == end || *at != separator) return CsvEnd::kNotPlain;
        ++at;
      } else if (at != end) {
        if (*at == '\r' && at + 1 != end) ++at;
        if (*at == '\r' && !is_last) return CsvEnd::kTextTooShort;
        if (*at != '\n') return CsvEnd::kNotPlain;
        ++at;
      }
      cell(column, first, last);
    }
    row();
    used = static_cast<std::size_t>(at - text);
  }
  return CsvEnd::kRows;
}

// The different cells of one column, numbered as they come.
class CellNumbers {
 public:
  static constexpr std::size_t kMost = 255;

  CellNumbers() { std::fill(of_one_, of_one_ + 128, static_cast<std::uint8_t>(kMost)); }

  // The number of a cell; kMost if there were more different ones before.
  std::size_t number(const char* first, const char* last) {
    const std::size_t size = static_cast<std::size_t>(last - first);
    if (size == 1 && *first > 0) {
      std::uint8_t& known = of_one_[static_cast<unsigned char>(*first)];
      if (known == kMost) known = static_cast<std::uint8_t>(added(std::string_view(first, 1)));
      return known;
    }
    if (too_many_) return kMost;
    if (size > kShort) return number_of_long(std::string_view(first, size));
    std::uint64_t key = size;
    for (const char* c = first; c != last; ++c) key = key << 8 | static_cast<unsigned char>(*c);
    const auto found = shorts_.find(key);
    if (found != shorts_.end()) return found->second;
    const std::size_t place = added(std::string_view(first, size));
    if (place < kMost) shorts_[key] = place;
    return place;
  }
  bool too_many() const { return too_many_; }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  static constexpr std::size_t kShort = 7;

  std::size_t number_of_long(std::string_view text) {
    const auto found = longs_.find(std::string(text));
    if (found != longs_.end()) return found->second;
    const std::size_t place = added(text);
    if (place < kMost) longs_[std::string(text)] = place;
    return place;
  }
  std::size_t added(std::string_view text) {
    too_many_ = too_many_ || texts_.size() == kMost;
    if (too_many_) return kMost;
    texts_.emplace_back(text);
    return texts_.size() - 1;
  }

  std::uint8_t of_one_[128];  // the numbers of cells of one character
  bool too_many_ = false;
  std::unordered_map<std::uint64_t, std::size_t> shorts_;
  std::unordered_map<std::string, std::size_t> longs_;
  std::vector<std::string> texts_;
};

struct CsvCells {
  CsvEnd end = CsvEnd::kNotPlain;
  std::size_t n_rows = 0, used = 0;
  std::vector<std::size_t> few, many;           // columns by how many different cells they have
  std::vector<std::vector<std::string>> lists;  // different cells, sorted; columns often have the same
  std::vector<std::size_t> list_of;             // which list each of the columns `few` has
  std::string as_written;                       // CSV of the columns `many`, row by row
};

constexpr std::size_t kTurned = 64;  // bytes of a cache line

// codes: n_columns rows of `n_rows`; those of the columns `many` mean nothing.
inline CsvCells csv_cells(const char* text, std::size_t size, std::size_t n_columns, char separator,
                          std::size_t n_rows, bool is_last, std::uint8_t* codes) {
  CsvCells found;
  std::vector<CellNumbers> columns(n_columns);
  // Some lines are collected before they are turned: a store per cell, each in a row of its own, would take
  // a cache miss each.
  std::vector<std::uint8_t> lines(kTurned * n_columns);
  std::size_t n_done = 0, n_turned = 0;
  const auto turn = [&] {
    for (std::size_t column = 0; column < n_columns; ++column)
      for (std::size_t row = n_turned; row < n_done; ++row)
        codes[column * n_rows + row] = lines[(row - n_turned) * n_columns + column];
    n_turned = n_done;
  };
  found.end = for_cells(
      text, size, n_columns, separator, n_rows, is_last, found.used,
      [&](std::size_t column, const char* first, const char* last) {
        const std::size_t number = columns[column].number(first, last);
        lines[(n_done - n_turned) * n_columns + column] = static_cast<std::uint8_t>(number);
      },
      [&] {
        if (++n_done - n_turned == kTurned) turn();
      });
  turn();
  found.n_rows = n_done;
  if (found.end != CsvEnd::kRows) return found;
  std::vector<bool> is_many(n_columns);
  for (std::size_t column = 0; column < n_columns; ++column) {
    is_many[column] = columns[column].too_many();
    (is_many[column] ? found.many : found.few).push_back(column);
  }
  std::map<std::vector<std::string>, std::size_t> known;
  for (const std::size_t column : found.few) {
    std::vector<std::string> sorted = columns[column].texts();
    std::sort(sorted.begin(), sorted.end());
    std::uint8_t place[CellNumbers::kMost + 1];
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto at = std::lower_bound(sorted.begin(), sorted.end(), columns[column].texts()[i]);
      place[i] = static_cast<std::uint8_t>(at - sorted.begin());
    }
    std::uint8_t* own = codes + column * n_rows;
    for (std::size_t row = 0; row < n_done; ++row) own[row] = place[own[row]];
    const auto list = known.emplace(std::move(sorted), known.size()).first;
    if (list->second == found.lists.size()) found.lists.push_back(list->first);
    found.list_of.push_back(list->second);
  }
  if (found.many.empty()) return found;
  std::size_t again = 0;
  for_cells(
      text, size, n_columns, separator, n_rows, is_last, again,
      [&](std::size_t column, const char* first, const char* last) {
        if (!is_many[column]) return;
        found.as_written.append(first, last);
        found.as_written += column == found.many.back() ? '\n' : separator;
      },
      [] {});
  return found;
}

}  // namespace bnsieve
