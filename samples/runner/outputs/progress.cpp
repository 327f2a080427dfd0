#include "samples/runner/outputs/progress.h"

#include <talus/profiling/terminal.h>

#if __has_include(<sys/ioctl.h>)
#include <sys/ioctl.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace talus::samples {

namespace {

/// Minutes and seconds, hours too if there are any.
std::string clock_text(double seconds) {
    const auto s = static_cast<long long>(std::min(seconds, 359'999.0) + 0.5);
    char text[48];
    if (s >= 3600) {
        std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    } else {
        std::snprintf(text, sizeof text, "%lld:%02lld", s / 60, s % 60);
    }
    return text;
}

std::string bar(double share, int width, bool fine) {
    const int full = static_cast<int>(share * width);
    std::string text;
    for (int i = 0; i < width; ++i) text += fine ? (i < full ? "\u2501" : "\u2500") : (i < full ? "#" : ".");
    return fine ? text : "[" + text + "]";
}

bool is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (!value || !*value) continue;
        const std::string_view text(value);
        return text.find("UTF-8") != text.npos || text.find("utf8") != text.npos;
    }
    return false;
}

int terminal_columns() {
#if defined(TIOCGWINSZ)
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
#endif
    return 80;
}

}  // namespace

std::string progress_line(std::string_view what, const Pace& pace, int columns, bool fine) {
    const double share = pace.steps > 0 ? std::clamp(static_cast<double>(pace.done) / pace.steps, 0.0, 1.0) : 0.0;
    char text[128];
    std::snprintf(text, sizeof text, "%3d%%  %d/%d steps", static_cast<int>(100.0 * share), pace.done, pace.steps);
    std::string end = text;
    if (pace.steps_per_second > 0.0) {
        std::snprintf(text, sizeof text, "  %.*f steps/s", pace.steps_per_second < 9.95 ? 1 : 0, pace.steps_per_second);
        end += text + ("  " + clock_text((pace.steps - pace.done) / pace.steps_per_second) + " left");
    }
    const std::string begin = std::string(what) + "  ";
    const int brackets = fine ? 0 : 2;
    const int room = columns - static_cast<int>(begin.size() + end.size()) - 1 - brackets;
    if (room >= 4) return begin + bar(share, std::min(room, 30), fine) + " " + end;
    return (begin + end).substr(0, static_cast<std::size_t>(std::max(columns, 0)));
}

Progress::Progress()
    : on_(is_terminal(stderr)), fine_(is_utf8()), colors_(wants_colors(stderr)), noted_at_(Clock::now()) {}

void Progress::show(std::string_view what, int done, int steps) {
    if (!on_) return;
    const Clock::time_point now = Clock::now();
    if (done < noted_) {  // another run
        noted_ = 0;
        pace_ = 0.0;
        noted_at_ = now;
    }
    if (now - shown_at_ < std::chrono::milliseconds(100)) return;
    shown_at_ = now;
    const double seconds = std::chrono::duration<double>(now - noted_at_).count();
    if (done > noted_ && seconds >= 0.2) {
        const double latest = (done - noted_) / seconds;
        pace_ = pace_ > 0.0 ? 0.7 * pace_ + 0.3 * latest : latest;
        noted_ = done;
        noted_at_ = now;
    }
    const std::string line = progress_line(what, {done, steps, pace_}, terminal_columns() - 1, fine_);
    std::fprintf(stderr, "\r\033[K%s%s%s", colors_ ? "\033[36m" : "", line.c_str(), colors_ ? "\033[0m" : "");
    std::fflush(stderr);
    shown_ = true;
}

void Progress::clear() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
    shown_ = false;
}

}  // namespace talus::samples
