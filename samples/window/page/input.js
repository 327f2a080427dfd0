// The wheel and fingers, as emscripten's GLFW should see them.
//
// Fingers are a mouse: one holds the left button, which drags a body or turns the view; two drag the view along with the
// middle button, and turn the wheel when they spread.
'use strict';

(() => {
    const canvas = document.getElementById('canvas');
    const left = 0, middle = 1;
    const zoom = Math.log(1 / 0.88);  // of a notch of the wheel (app_input.cpp)
    let held = null;                  // the button that the fingers hold
    let spread = 0;                   // pixels between two fingers

    const init = { bubbles: true, cancelable: true };
    function send(type, [clientX, clientY], button = left) {
        canvas.dispatchEvent(new MouseEvent(type, { ...init, clientX, clientY, button }));
    }
    /// Notches away from the user, as GLFW counts them. Emscripten 3.1.6 hands on what an event says as if it were that,
    /// though browsers count pixels, and towards the user.
    function turnWheel(x, y) {
        canvas.dispatchEvent(Object.assign(new WheelEvent('wheel', { ...init, deltaX: x, deltaY: y }), { isNotches: true }));
    }
    function heard(type, handler) {
        addEventListener(type, (event) => {
            if (event.target !== canvas || event.isNotches) return;
            event.preventDefault();
            event.stopImmediatePropagation();
            handler(event);
        }, { capture: true, passive: false });  // before emscripten's own, which know one finger only
    }

    heard('wheel', (event) => {
        const notch = [-100, -3, -1][event.deltaMode];  // in pixels, lines, pages
        turnWheel(event.deltaX / notch, event.deltaY / notch);
    });

    const places = (event) => [...event.touches].slice(0, 2).map((finger) => [finger.clientX, finger.clientY]);
    const middleOf = (at) => at.length === 1 ? at[0] : [0, 1].map((axis) => (at[0][axis] + at[1][axis]) / 2);
    const spreadOf = (at) => at.length < 2 ? 0 : Math.hypot(at[0][0] - at[1][0], at[0][1] - at[1][1]);

    function fingersChanged(event) {
        const at = places(event);
        const button = [null, left, middle][at.length];
        if (button !== held) {
            const place = at.length ? middleOf(at) : [event.changedTouches[0].clientX, event.changedTouches[0].clientY];
            if (held !== null) send('mouseup', place, held);
            send('mousemove', place);
            if (button !== null) send('mousedown', place, button);
            held = button;
        }
        spread = spreadOf(at);
        // Nothing hovers under a finger that is gone; two frames later, because the button's end must be seen first.
        if (held === null) requestAnimationFrame(() => requestAnimationFrame(() => held === null && send('mousemove', [-1, -1])));
    }

    function fingersMoved(event) {
        const at = places(event), before = spread;
        send('mousemove', middleOf(at));
        spread = spreadOf(at);
        if (before > 0 && spread > 0) turnWheel(0, Math.log(spread / before) / zoom);
    }

    for (const type of ['touchstart', 'touchend', 'touchcancel']) heard(type, fingersChanged);
    heard('touchmove', fingersMoved);
})();
