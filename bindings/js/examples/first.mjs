// A crate falls to the floor: node first.mjs
import { load } from '../talus.mjs';

const talus = await load();
const world = new talus.World({ gravity: [0, -9.81, 0] });
world.addBody({ type: 'fixed', shape: talus.box(50, 1, 50), position: [0, -1, 0] });
const crate = world.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [0, 10, 0] });
for (let i = 0; i < 240; ++i) world.step(1 / 60);
console.log(`The crate rests at ${world.position(crate)[1].toFixed(2)} m.`);
