/// What diff.h found, in sentences and tables.

#include <talus/profiling/diff.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace talus {

namespace {

constexpr const char *red = "\033[31m", *green = "\033[32m", *dim = "\033[2m", *bold = "\033[1m", *plain = "\033[0m";

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
    char text[256];
    std::snprintf(text, sizeof text, pattern, arguments...);
    return text;
}

/// Three digits that count; those of a large number are all shown.
std::string number(double value) {
    const double size = std::abs(value);
    if (size == 0.0) return "0";
    if (size >= 99.95) return format("%.0f", value);
    if (size >= 9.995) return format("%.1f", value);
    if (size >= 0.0095) return format("%.2f", value);
    return format("%.0e", value);
}

std::string with_sign(double value) { return (value > 0.0 ? "+" : "") + number(value); }

std::string percent(const Compared& c) {
    const double value = c.percent();
    if (value == 0.0) return "0%";
    if (std::abs(value) < 0.05) return value > 0.0 ? "+0.0%" : "-0.0%";
    return format(std::abs(value) < 1000.0 ? "%+.1f%%" : "%+.0f%%", value);
}

class Text {
public:
    explicit Text(bool colors) : colors_(colors) {}

    std::string text;

    void line(const std::string& more = {}) { text += more + "\n"; }

    std::string colored(const char* color, const std::string& what) const {
        return colors_ && !what.empty() ? color + what + plain : what;
    }

    void count_heading(const char* what) {
        line();
        line(colored(bold, format("%-23s", what)) +
             colored(dim, format("%10s %10s %10s", "before", "after", "change")));
    }

    void heading(const char* what) {
        line();
        line(colored(bold, format("%-23s", what)) +
             colored(dim, format("%10s %10s %10s %8s %8s", "before", "after", "change", "", "noise")));
    }

    /// A time, what became of it, and whether that is more than noise.
    void time_row(const Compared& c) {
        const char* color = !c.is_different ? dim : c.change() > 0.0 ? red : green;
        const char* verdict = !c.is_different ? "" : c.change() > 0.0 ? " slower" : " faster";
        line(format("  %-21s%10s %10s ", c.name.substr(0, 20).c_str(), number(c.before).c_str(),
                    number(c.after).c_str()) +
             colored(color, format("%10s %8s", with_sign(c.change()).c_str(), percent(c).c_str())) +
             format(" %8s", number(c.noise).c_str()) + colored(color, verdict));
    }

    void count_row(const Compared& c) {
        line(format("  %-21s%10s %10s %10s %8s", c.name.substr(0, 20).c_str(), number(c.before).c_str(),
                    number(c.after).c_str(), with_sign(c.change()).c_str(), percent(c).c_str()));
    }

private:
    bool colors_;
};

/// " Most of it: solve (+109 us), collide (+21 us)."
std::string culprits(const ProfileDiff& diff, bool slower) {
    std::string names;
    int count = 0;
    for (const Compared& stage : diff.stages) {
        if (!stage.is_different || (stage.change() > 0.0) != slower || count == 3) continue;
        names += (count++ ? ", " : "") + stage.name + " (" + with_sign(stage.change()) + " us)";
    }
    return names.empty() ? "" : " Most of it: " + names + ".";
}

std::string verdict(const ProfileDiff& diff) {
    const Compared& median = diff.totals.front();
    const std::string times = number(median.before) + " us before, " + number(median.after) + " us after; noise " +
                              number(median.noise) + " us";
    if (!median.is_different) return "No difference beyond noise in the median step: " + times + ".";
    const bool slower = median.change() > 0.0;
    return "The median step is " + format("%.1f%% ", std::abs(median.percent())) + (slower ? "slower: " : "faster: ") +
           times + "." + culprits(diff, slower);
}

std::string work_sentence(const ProfileDiff& diff) {
    if (diff.work.empty()) return "The work is the same in every frame: what changed is what it costs.";
    return "The work is another in " + std::to_string(diff.frames_with_other_work) + " of " +
           std::to_string(diff.frames_compared) + " frames: see below what there was more or less of.";
}

/// Breaks a paragraph into lines of at most 80 letters.
std::string wrapped(const std::string& paragraph) {
    std::string text;
    std::size_t length = 0;
    for (std::size_t i = 0; i < paragraph.size();) {
        const std::size_t end = std::min(paragraph.find(' ', i), paragraph.size());
        const std::size_t word = end - i;
        if (length > 0 && length + 1 + word > 80) {
            text += '\n';
            length = 0;
        } else if (length > 0) {
            text += ' ';
            ++length;
        }
        text.append(paragraph, i, word);
        length += word;
        i = end + 1;
    }
    return text;
}

}  // namespace

std::string describe(const ProfileDiff& diff, const std::string& before, const std::string& after, bool colors) {
    Text out(colors);
    out.line(format("before  %s, %zu frames", before.c_str(), diff.frames_before));
    out.line(format("after   %s, %zu frames", after.c_str(), diff.frames_after));
    for (const std::string& warning : diff.warnings) out.line(wrapped("warning: " + warning));
    out.line();
    out.line(wrapped(verdict(diff)));
    out.line(wrapped(work_sentence(diff)));
    if (diff.is_machine) {
        out.line(
            wrapped("All stages changed together at the same work: that is rather the machine (its clock, other "
                    "programs) or the compiler's options than a piece of code. Run both again, by turns."));
    }

    out.heading("a step, us");
    for (const Compared& total : diff.totals) out.time_row(total);
    out.heading("stages, us per frame");
    for (const Compared& stage : diff.stages) out.time_row(stage);
    if (!diff.passes.empty()) {
        out.heading("narrowphase, us per frame");
        for (const ComparedPass& pass : diff.passes) out.time_row(pass.time);
        out.count_heading("  its pairs per frame");
        for (const ComparedPass& pass : diff.passes) {
            if (pass.pairs.before != 0.0 || pass.pairs.after != 0.0) out.count_row(pass.pairs);
        }
        out.count_heading("  ns per pair");
        for (const ComparedPass& pass : diff.passes) {
            const Compared& us = pass.price;
            if (us.before != 0.0 || us.after != 0.0) out.count_row({us.name, 1e3 * us.before, 1e3 * us.after});
        }
    }
    if (!diff.shapes.empty()) {
        out.heading("tests by shapes, us");
        for (const Compared& shapes : diff.shapes) out.time_row(shapes);
    }
    if (!diff.iterations.empty()) {
        out.count_heading("iterations a call");
        for (const Compared& iterations : diff.iterations) out.count_row(iterations);
    }
    if (!diff.work.empty()) {
        constexpr std::size_t most = 20;
        out.count_heading("other work, a frame");
        for (std::size_t i = 0; i < std::min(most, diff.work.size()); ++i) out.count_row(diff.work[i]);
        if (diff.work.size() > most) out.line(format("  and %zu other columns", diff.work.size() - most));
    }
    return out.text;
}

}  // namespace talus
