#include "samples/recording/page/page.h"

#include "samples/recording/profile_codec.h"

#include <cstdio>

namespace talus::embedded {
extern const std::string_view replay_html, replay_css, replay_data_js, replay_view_js, replay_js;
}  // namespace talus::embedded

namespace talus::samples {

namespace {

constexpr std::size_t line_length = 32000;  // characters: some editors mind longer lines

std::string hex(Color color) {
    char text[8];
    std::snprintf(text, sizeof text, "#%02x%02x%02x", color.r, color.g, color.b);
    return text;
}

/// Text for between two tags, where an address or a name may stand.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '<') {
            out += "&lt;";
        } else if (c == '&') {
            out += "&amp;";
        } else {
            out += c;
        }
    }
    return out;
}

/// What the page has to know of this program: the rungs and the columns of the profile.
std::string facts() {
    std::string json = "{\"rungs\":[";
    for (int i = 0; i < rung_count; ++i) {
        const auto rung = static_cast<Rung>(i);
        json += std::string(i ? "," : "") + "{\"title\":\"" + title_of(rung) + "\",\"color\":\"" + hex(color_of(rung)) +
                "\"}";
    }
    return json + "],\"profile\":" + profile_columns_json() + "}";
}

/// Puts `text` in place of the only `mark` of the page.
void put(std::string& page, std::string_view mark, std::string_view text) {
    const std::size_t at = page.find(mark);
    if (at != std::string::npos) page.replace(at, mark.size(), text);
}

}  // namespace

std::string to_text(std::string_view bytes) {
    static const std::string alphabet = [] {
        std::string letters;
        for (char c = '!'; c <= '~'; ++c) {
            if (c != '"' && c != '&' && c != '<') letters += c;
        }
        return letters;
    }();
    const auto base = static_cast<unsigned>(alphabet.size());
    std::string text;
    text.reserve(bytes.size() * 5 / 4 + bytes.size() / line_length + 16);
    unsigned held = 0, bits = 0;
    std::size_t line = 0;
    const auto put_pair = [&] {
        const unsigned value = held & 8191u;
        text += alphabet[value % base];
        text += alphabet[value / base];
        if ((line += 2) >= line_length) {
            text += '\n';
            line = 0;
        }
    };
    for (const char c : bytes) {
        held |= static_cast<unsigned>(static_cast<unsigned char>(c)) << bits;
        bits += 8;
        if (bits < 13) continue;
        put_pair();
        held >>= 13;
        bits -= 13;
    }
    if (bits > 0) put_pair();
    return text;
}

std::string replay_page(const Recording& recording) {
    std::string page(embedded::replay_html);
    put(page, "<!--TITLE-->", escaped(recording.scene()));
    put(page, "/*CSS*/", embedded::replay_css);
    put(page, "/*FACTS*/", facts());
    put(page, "/*DATA_JS*/", embedded::replay_data_js);
    put(page, "/*VIEW_JS*/", embedded::replay_view_js);
    put(page, "/*PLAYER_JS*/", embedded::replay_js);
    put(page, "<!--BYTES-->", std::to_string(recording.bytes().size()));
    put(page, "<!--RECORDING-->", to_text(recording.bytes()));
    return page;
}

}  // namespace talus::samples
