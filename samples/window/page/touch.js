// Fingers as a mouse: one holds the left button, which drags a body or turns the view; two drag the view along with the
// middle button, and zoom with the wheel when they spread.
'use strict';

(() => {
    const canvas = document.getElementById('canvas');
    const left = 0, middle = 1;
    let held = null;  // the button that the fingers hold
    let spread = 0;   // pixels between two fingers

    function send(type, [clientX, clientY], button = left) {
        canvas.dispatchEvent(new MouseEvent(type, { clientX, clientY, button, bubbles: true, cancelable: true }));
    }
    const places = (event) => [...event.touches].slice(0, 2).map((finger) => [finger.clientX, finger.clientY]);
    const middleOf = (at) => at.length === 1 ? at[0] : [0, 1].map((axis) => (at[0][axis] + at[1][axis]) / 2);
    const spreadOf = (at) => at.length === 1 ? 0 : Math.hypot(at[0][0] - at[1][0], at[0][1] - at[1][1]);

    function changed(event) {
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
        // Nothing hovers under a finger that is gone; a frame later, because the button's end must be seen first.
        if (held === null) requestAnimationFrame(() => requestAnimationFrame(() => held === null && send('mousemove', [-1, -1])));
    }

    function moved(event) {
        const at = places(event), before = spread;
        send('mousemove', middleOf(at));
        spread = spreadOf(at);
        if (before > 0 && spread > 0) {
            canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: 300 * Math.log(before / spread), bubbles: true, cancelable: true }));
        }
    }

    // Before emscripten's own, which know one finger only.
    for (const [type, handler] of [['touchstart', changed], ['touchend', changed], ['touchcancel', changed], ['touchmove', moved]]) {
        addEventListener(type, (event) => {
            if (event.target !== canvas) return;
            event.preventDefault();
            event.stopImmediatePropagation();
            handler(event);
        }, { capture: true, passive: false });
    }
})();
