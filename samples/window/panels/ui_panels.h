#pragma once
/// The panels, one function each, drawn inside a window that the caller began.

namespace talus::samples {

struct App;

void draw_toolbar(App& app);         ///< ui_toolbar.cpp
void draw_status(App& app);          ///< ui_toolbar.cpp
void draw_view_panel(App& app);      ///< ui_view.cpp: what is drawn
void draw_settings_panel(App& app);  ///< ui_settings.cpp
void draw_body_panel(App& app);      ///< ui_body.cpp: the inspector
void draw_profile_panel(App& app);   ///< app_profile.cpp
void draw_pair_panel(App& app);      ///< app_profile.cpp: GJK and EPA step by step
void draw_timeline(App& app);        ///< ui_timeline.cpp: of a recording
void draw_scene_picker(App& app);    ///< ui_scenes.cpp: a window of its own
void draw_help(App& app);            ///< ui_help.cpp: a window of its own

}  // namespace talus::samples
