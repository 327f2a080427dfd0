#include <talus/profiling/diff.h>

#include <talus/profiling/stages.h>
#include <talus/profiling/statistics.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <unordered_map>

namespace talus {

namespace {

constexpr double least_percent = 2.0;            ///< below that no time is called different
constexpr double least_microseconds = 0.05;      ///< nor below that
constexpr std::size_t blocks = 12, draws = 100;  ///< of the bootstrap

using Column = std::vector<double>;

/// The rows of both tables that have the same frame number.
struct Rows {
    std::vector<std::size_t> before, after;
    std::size_t size() const { return before.size(); }
};

Rows common_rows(const Column& before, const Column& after) {
    std::unordered_map<double, std::size_t> places;
    for (std::size_t i = 0; i < after.size(); ++i) places.emplace(after[i], i);
    Rows rows;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto found = places.find(before[i]);
        if (found == places.end()) continue;
        rows.before.push_back(i);
        rows.after.push_back(found->second);
    }
    return rows;
}

/// A column of both tables, those rows.
struct Both {
    Column before, after;
};

Both pick(const CsvTable& a, const CsvTable& b, const Rows& rows, const std::string& name) {
    Both both;
    const Column *before = a.find(name), *after = b.find(name);
    if (!before || !after) return both;
    for (const std::size_t row : rows.before) both.before.push_back((*before)[row]);
    for (const std::size_t row : rows.after) both.after.push_back((*after)[row]);
    return both;
}

/// Only the frames where either is not 0.
Both where_active(const Both& all) {
    Both active;
    for (std::size_t i = 0; i < all.before.size(); ++i) {
        if (all.before[i] == 0.0 && all.after[i] == 0.0) continue;
        active.before.push_back(all.before[i]);
        active.after.push_back(all.after[i]);
    }
    return active;
}

/// Steele, Lea and Flood's splitmix64: the same noise for the same files on every machine.
class Random {
public:
    std::size_t below(std::size_t count) {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return static_cast<std::size_t>((z ^ (z >> 31)) % count);
    }

private:
    std::uint64_t state_ = 0;
};

/// Three standard deviations of statistic(after) - statistic(before) under the bootstrap; 0 for fewer than two frames.
template <class Statistic>
double noise_of(const Both& both, const Statistic& statistic) {
    const std::size_t count = both.before.size();
    if (count < 2) return 0.0;
    const std::size_t length = std::max<std::size_t>(1, count / blocks);
    Random random;
    Column before(count), after(count);
    double sum = 0.0, squares = 0.0;
    for (std::size_t draw = 0; draw < draws; ++draw) {
        for (std::size_t filled = 0; filled < count;) {
            const std::size_t start = random.below(count - length + 1);
            for (std::size_t i = 0; i < length && filled < count; ++i, ++filled) {
                before[filled] = both.before[start + i];
                after[filled] = both.after[start + i];
            }
        }
        const double change = statistic(after) - statistic(before);
        sum += change;
        squares += change * change;
    }
    const double mean = sum / draws;
    return 3.0 * std::sqrt(std::max(0.0, squares / draws - mean * mean));
}

void judge(Compared& c) {
    const double change = std::abs(c.change());
    c.is_different = change > c.noise && change >= least_microseconds && std::abs(c.percent()) >= least_percent;
}

/// A quantile of all frames.
Compared compare_quantile(const std::string& name, const Both& both, double q) {
    Compared c{name, quantile_of(both.before, q), quantile_of(both.after, q)};
    c.noise = noise_of(both, [&](Column& values) { return take_quantile(values, q); });
    judge(c);
    return c;
}

/// The median of the frames where it ran, times their share.
Compared compare_part(const std::string& name, const Both& both) {
    const Both active = where_active(both);
    const double share = static_cast<double>(active.before.size()) / static_cast<double>(both.before.size());
    Compared c{name, share * quantile_of(active.before, 0.5), share * quantile_of(active.after, 0.5)};
    c.noise = share * noise_of(active, [](Column& values) { return take_quantile(values, 0.5); });
    judge(c);
    return c;
}

double sum_of(const Column& column) {
    double sum = 0.0;
    for (const double value : column) sum += value;
    return sum;
}

double ratio(double a, double b) { return b > 0.0 ? a / b : 0.0; }

void sort_by_change(std::vector<Compared>& list) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Compared& a, const Compared& b) { return std::abs(a.change()) > std::abs(b.change()); });
}

bool is_time(const std::string& name) { return name.ends_with("_us") || name.starts_with("us_"); }

/// Columns that say nothing about the work: numbers of frames, names of bodies, and what depends on times or threads.
bool is_work(const std::string& name) {
    return !is_time(name) && !name.starts_with("slowest_") && name != "frame" && name != "clock_reads" &&
           name != "interruptions" && name != "slabs" && name != "colors";
}

class Differ {
public:
    Differ(const CsvTable& a, const CsvTable& b, Rows rows) : a_(a), b_(b), rows_(std::move(rows)) {}

    ProfileDiff run() {
        diff_.frames_before = a_.rows();
        diff_.frames_after = b_.rows();
        diff_.frames_compared = rows_.size();
        warn();
        totals();
        for (const Stage& stage : stages) {
            const std::string name = std::string(stage.name) + "_us";
            if (has(name)) diff_.stages.push_back(compare_part(stage.name, both(name)));
        }
        passes_of_narrowphase();
        for (const std::string& name : a_.names) {
            if (!name.starts_with("us_") || !has(name)) continue;
            Compared c = compare_part(name.substr(3), both(name));
            if (c.before != 0.0 || c.after != 0.0) diff_.shapes.push_back(std::move(c));
        }
        iterations("GJK", "gjk");
        iterations("EPA", "epa");
        work();
        machine();
        sort_by_change(diff_.stages);
        sort_by_change(diff_.shapes);
        return std::move(diff_);
    }

private:
    bool has(const std::string& name) const { return a_.find(name) && b_.find(name); }
    Both both(const std::string& name) const { return pick(a_, b_, rows_, name); }

    void warn() {
        if (rows_.size() < a_.rows() || rows_.size() < b_.rows()) {
            diff_.warnings.push_back("The runs have " + std::to_string(a_.rows()) + " and " +
                                     std::to_string(b_.rows()) + " frames; compared are the " +
                                     std::to_string(rows_.size()) + " that both have.");
        }
        if (rows_.size() < 60) diff_.warnings.push_back("Few frames say little: " + std::to_string(rows_.size()) + ".");
        const auto missing = [&](const CsvTable& from, const CsvTable& in, const char* which) {
            std::size_t count = 0;
            std::string first;
            for (const std::string& name : from.names) {
                if (in.find(name)) continue;
                if (count++ == 0) first = name;
            }
            if (count == 0) return;
            diff_.warnings.push_back(
                std::string("Only the ") + which + " file has " +
                (count == 1 ? "the column " + first : std::to_string(count) + " columns, " + first + " the first") +
                "; left out.");
        };
        missing(a_, b_, "first");
        missing(b_, a_, "second");
        const Both total = both("total_us");
        if (sum_of(total.before) == 0.0 || sum_of(total.after) == 0.0)
            diff_.warnings.push_back("A run without times: only its counts can be compared.");
    }

    void totals() {
        const Both total = both("total_us");
        diff_.totals.push_back(compare_quantile("p50", total, 0.50));
        diff_.totals.push_back(compare_quantile("p95", total, 0.95));
        diff_.totals.push_back(compare_quantile("p99", total, 0.99));
        diff_.totals.push_back(compare_quantile("max", total, 1.00));
    }

    void passes_of_narrowphase() {
        for (const Pass& pass : passes) {
            const std::string booked = name_of(pass.booked), also = name_of(pass.also);
            if (!has(booked + "_us") || !has(booked + "_pairs") || !has(also + "_pairs")) continue;
            const Both time = both(booked + "_us");
            Both pairs = both(booked + "_pairs");
            if (pass.also != pass.booked) {
                const Both more = both(also + "_pairs");
                for (std::size_t i = 0; i < more.before.size(); ++i) {
                    pairs.before[i] += more.before[i];
                    pairs.after[i] += more.after[i];
                }
            }
            ComparedPass c;
            c.time = compare_part(pass.name, time);
            const double frames = static_cast<double>(rows_.size());
            c.pairs = {pass.name, sum_of(pairs.before) / frames, sum_of(pairs.after) / frames};
            c.pairs.is_different = c.pairs.before != c.pairs.after;
            // Times by their robust measure: a frame that was interrupted would make its pairs dear.
            c.price = {pass.name, ratio(c.time.before, c.pairs.before), ratio(c.time.after, c.pairs.after)};
            if (c.time.before == 0.0 && c.time.after == 0.0 && !c.pairs.is_different) continue;
            diff_.passes.push_back(std::move(c));
        }
        std::stable_sort(diff_.passes.begin(), diff_.passes.end(), [](const ComparedPass& a, const ComparedPass& b) {
            return std::abs(a.time.change()) > std::abs(b.time.change());
        });
    }

    void iterations(const char* name, const std::string& method) {
        if (!has(method + "_queries") || !has(method + "_iterations")) return;
        const Both calls = both(method + "_queries"), spent = both(method + "_iterations");
        Compared c{name, ratio(sum_of(spent.before), sum_of(calls.before)),
                   ratio(sum_of(spent.after), sum_of(calls.after))};
        c.is_different = c.before != c.after;
        diff_.iterations.push_back(c);
    }

    void work() {
        std::vector<bool> other(rows_.size(), false);
        const double frames = static_cast<double>(rows_.size());
        for (const std::string& name : a_.names) {
            if (!is_work(name) || !has(name)) continue;
            const Both counts = both(name);
            bool differs = false;
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                if (counts.before[i] == counts.after[i]) continue;
                differs = true;
                other[i] = true;
            }
            if (!differs) continue;
            Compared c{name, sum_of(counts.before) / frames, sum_of(counts.after) / frames};
            c.is_different = true;
            diff_.work.push_back(c);
        }
        std::stable_sort(diff_.work.begin(), diff_.work.end(), [](const Compared& a, const Compared& b) {
            return std::abs(a.percent()) > std::abs(b.percent());
        });
        diff_.frames_with_other_work = static_cast<std::size_t>(std::count(other.begin(), other.end(), true));
    }

    /// A change of the code touches one part or another; another clock rate, or other programs, touch all of them.
    void machine() {
        const Compared& whole = diff_.totals.front();
        if (!diff_.work.empty() || std::abs(whole.percent()) < least_percent) return;
        const double sign = whole.change() > 0.0 ? 1.0 : -1.0;
        int counted = 0;
        for (const Compared& stage : diff_.stages) {
            if (stage.before < 0.02 * whole.before) continue;  // too small to say anything
            if (sign * stage.percent() < least_percent) return;
            ++counted;
        }
        diff_.is_machine = counted >= 3;
    }

    const CsvTable &a_, &b_;
    Rows rows_;
    ProfileDiff diff_;
};

/// Refuses a table without one column per name, or with columns of different lengths.
Error check_shape(const CsvTable& table, const char* which) {
    const std::string begin = std::string("diff_profiles: the ") + which + " table has ";
    if (table.columns.size() != table.names.size()) {
        return {ErrorCode::bad_argument, begin + std::to_string(table.columns.size()) + " columns and " +
                                             std::to_string(table.names.size()) +
                                             " names; it must have one column per name."};
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].size() == table.rows()) continue;
        return {ErrorCode::bad_argument, begin + std::to_string(table.columns[i].size()) + " values in the column '" +
                                             table.names[i] + "' and " + std::to_string(table.rows()) + " in '" +
                                             table.names[0] + "'; all columns must be equally long."};
    }
    return {};
}

}  // namespace

double Compared::percent() const {
    if (before == after) return 0.0;
    return before != 0.0 ? 100.0 * (after - before) / std::abs(before) : 100.0;
}

Result<ProfileDiff> diff_profiles(const CsvTable& before, const CsvTable& after) {
    for (const CsvTable* table : {&before, &after}) {
        if (Error error = check_shape(*table, table == &before ? "first" : "second")) return error;
    }
    for (const CsvTable* table : {&before, &after}) {
        for (const char* name : {"frame", "total_us"}) {
            if (table->find(name)) continue;
            return Error{ErrorCode::bad_argument, std::string(table == &before ? "The first" : "The second") +
                                                      " file has no column '" + name +
                                                      "': compared are files of talus-samples --csv."};
        }
    }
    Rows rows = common_rows(*before.find("frame"), *after.find("frame"));
    if (rows.size() == 0)
        return Error{ErrorCode::bad_argument, "The files have no frame in common, so there is nothing to compare."};
    return Differ(before, after, std::move(rows)).run();
}

}  // namespace talus
