#!/usr/bin/env bash
# Makes the pictures of the docs from the scenes: docs/pictures/SCENE.png, one a scene, the gallery docs/scenes.md that shows them,
# the README's animation docs/pictures/drum.webp, and those of the window, the report and the player.
#
#   docs/make_pictures.sh              all of it: some ten minutes on two cores
#   docs/make_pictures.sh NAME...      pictures of these scenes (and the gallery's text), "animation", "joints": one a kind of
#                                      joint, or "profiling": the tools'
#
# Scenes are drawn by the samples' own software renderer, the window under Xvfb, pages in a headless Chromium: no graphics card
# or window system is needed.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cmake/setup.sh

size=960x540

# Headings of the gallery, and below each its scenes with the step whose picture says most; 0: before the first.
gallery='
# The first steps
falling_box 40
shapes 100
slopes 160
bouncing 100
top 60
tippe_top 235
roll_slope 100
t_handle 200
# Things that stand
stack20 120
tower30 120
tower50 120
heavy_light 120
pyramid10 120
pyramid40 60
pyramid100 30
wall 60
dominoes 640
arch 120
card_house 120
# Heaps
hullpile 400
mixed 400
ellipsoids 400
bighulls44 300
bighulls 300
real_things 600
nonconvex 600
solids 600
bowl 1400
# Things that never come to rest
drum 400
tumble 420
tumble8 420
sparse10k 60
# Joints and machines
joint_kinds 160
cradle 35
bridge 200
chain 60
wrecking 260
ragdolls 90
ragdoll_bin 240
chains 45
conveyor 600
car 300
gears 240
robot 300
# Surfaces of triangles
terrain 260
rough_ground 300
marble_run 420
tooth_gears 60
ring_chain 300
solid_heap 400
solid_gears 60
nut_and_bolt 200
burr_puzzle 120
# Forces from outside, and speed
explosion 90
buoyancy 400
bullets 10
# Published benchmarks
sb_rolling 3000
sb_rolling_y 2500
sb_bouncing 450
sb_666 1500
sb_elastic 2000
'

# Parts of pictures of the scene joint_kinds: the kind, the step, and the middle of its panel in the window (pixels).
joints='
ball 130 1010 358
hinge 70 1464 370
slider 130 1925 375
fixed 115 1013 800
distance 76 1464 810
six_dof 160 1925 825
wheel 145 985 1290
gear 100 1459 1250
motor 152 1925 1270
'
joints_window=2880x1620
joint_size=(480 440) # pixels

animation=(--scene drum --steps 536 --every 4 --size 640x360)
animation_from=300 # first step that it shows
animation_ms=67   # a frame

scenes() { sed -n '/^[a-z]/p' <<<"$gallery"; }

picture() { # SCENE STEP
    local raw=build/pictures/$1.png
    quietly "picture-$1" build/release/talus-samples --scene "$1" --steps "$2" --png "$raw" --size $size --threads "$(nproc)"
    pngquant --force --strip --speed 1 --quality 70-95 --output "docs/pictures/$1.png" "$raw"
}

make_animation() {
    rm -rf build/pictures/frames
    quietly animation build/release/talus-samples "${animation[@]}" --frames build/pictures/frames --threads "$(nproc)"
    local frame shown=()
    for frame in build/pictures/frames/*.png; do
        [ "$((10#$(basename "$frame" .png)))" -lt $animation_from ] || shown+=("$frame")
    done
    quietly animation-pack img2webp -loop 0 -lossy -q 72 -m 6 -d $animation_ms "${shown[@]}" -o docs/pictures/drum.webp
}

# Each panel of joint_kinds, with the joints drawn: docs/pictures/joint_KIND.png.
make_joint_pictures() {
    local kind step x y raw=build/pictures/joint
    while read -r kind step x y; do
        quietly "picture-joint-$kind" xvfb-run -a -s "-screen 0 ${joints_window}x24" build/release/talus-window --scene joint_kinds \
            --no-config --size $joints_window --at "$step" --draw joints --panel none --screenshot $raw.png
        quietly "crop-joint-$kind" cwebp -lossless -crop $((x - joint_size[0] / 2)) $((y - joint_size[1] / 2)) "${joint_size[@]}" $raw.png \
            -o $raw.webp
        quietly "unpack-joint-$kind" dwebp $raw.webp -o $raw.png
        pngquant --force --strip --speed 1 --quality 70-95 --output "docs/pictures/joint_$kind.png" $raw.png
    done < <(sed '/^$/d' <<<"$joints")
}

# The way to tumble's worst frame, in the window and in the pages.
make_profiling_pictures() {
    local window=(xvfb-run -a -s "-screen 0 1280x720x24" build/release/talus-window --scene tumble --no-config --size 1280x720)
    quietly picture-window "${window[@]}" --at 420 --worst --screenshot build/pictures/window_profile.png
    quietly picture-pair "${window[@]}" --at 240 --panel pair --screenshot build/pictures/window_pair.png
    quietly picture-features "${window[@]}" --scene solid_heap --at 90 --panel pair --pair 35,26 --pair-step 560 \
        --screenshot build/pictures/window_features.png
    quietly pages build/release/talus-samples --scene tumble --steps 600 --report build/pictures/report.html \
        --replay-html build/pictures/replay.html
    quietly picture-pages python3 docs/page_pictures.py build/pictures
    local name
    for name in window_profile window_pair window_features report replay; do
        pngquant --force --strip --speed 1 --quality 70-95 --output docs/pictures/$name.png build/pictures/$name.png
    done
}

write_gallery() {
    local line scene list
    list=$(build/release/talus-samples --list)
    cat <<'END'
# The scenes

Each of them runs without a window (`./run.sh SCENE`) and in one (`./run.sh --window --scene SCENE`); `./run.sh SCENE --png FILE --at STEP` takes
pictures like these, which `docs/make_pictures.sh` made. Tests and benchmarks use the same scenes.
END
    while read -r line; do
        case $line in
            '') ;;
            '#'*) printf '\n#%s\n' "$line" ;;
            *)
                scene=${line% *}
                printf '\n### %s\n\n%s\n\n![%s](pictures/%s.png)\n\n`./run.sh %s`\n' "$scene" \
                    "$(sed -n "s/^$scene  *//p" <<<"$list")" "$scene" "$scene" "$scene"
                ;;
        esac
    done <<<"$gallery"
}

install_packages "${run_packages[@]}" "${window_packages[@]}" xvfb xauth chromium python3 pngquant webp
build release -- talus-samples talus-window
samples/fetch_meshes.sh
mkdir -p build/pictures docs/pictures
wanted=" $* "
while read -r scene step; do
    [ $# = 0 ] || [[ $wanted = *" $scene "* ]] || continue
    say "$scene after $step steps"
    picture "$scene" "$step"
done < <(scenes)
if [ $# = 0 ] || [[ $wanted = *" animation "* ]]; then
    say "the animation"
    make_animation
fi
if [ $# = 0 ] || [[ $wanted = *" joints "* ]]; then
    say "the kinds of joint"
    make_joint_pictures
fi
if [ $# = 0 ] || [[ $wanted = *" profiling "* ]]; then
    say "the window, the report, the player"
    make_profiling_pictures
fi
write_gallery >docs/scenes.md
say "$(du -ch docs/pictures/* | tail -n 1 | cut -f 1) of pictures in docs/pictures"
