// How JavaScript's values get into the library's memory and back.
//
// A codec knows one type of the C header: how many bytes it takes, how to read it, and how to write it, with the checks
// that a wrong type needs. The codecs of structures are made from layout.mjs.
//
// Lists and definitions that a call passes are in temporary memory, which the next call reuses.

import { enums, structs } from './layout.mjs';

/// An error of the library: a call that it has refused.
export class TalusError extends Error {
    constructor(code, message) {
        super(message);
        this.name = 'TalusError';
        this.code = code;
    }
}

// ---- Messages of the library ----------------------------------------------------------------------------------------
//
// The library writes them for C++: "add_body: density is -3". Users of this package know other names.

/// Functions with one name in C++ and several here: the name there, the argument that tells them apart, the name here.
const overloads = [
    ['describe', 'body', 'describeBody'], ['describe', 'joint', 'describeJoint'],
    ['contacts', 'body', 'contactsOf'], ['joints', 'body', 'jointsOf'], ['shapes', 'body', 'shapeCount'],
    ['user_data', 'joint', 'jointUserData'], ['ray_cast', 'rays', 'rayCasts'], ['shape_cast', 'casts', 'shapeCasts'],
    ['overlap', 'box', 'overlapBox'], ['overlap', 'point', 'overlapPoint'], ['overlap', '(shape|pose)', 'overlapShape'],
    ['overlap_any', 'box', 'overlapAnyBox'], ['overlap_any', 'point', 'overlapAnyPoint'],
    ['overlap_any', '(shape|pose)', 'overlapAnyShape'],
].map(([call, argument, name]) => [new RegExp(`^${call}: (?=${argument}\\b)`), `${name}: `]);

/// Each expression of a message that JavaScript writes in another way. The order matters: names come last.
const expressions = [
    ...overloads,
    [/(the handle of a )(body|joint)\b(.*?)\bis_valid\b/g, (_, before, what, between) =>
        `${before}${what}${between}isValid${what[0].toUpperCase()}${what.slice(1)}`],
    [/\((\S+), (\S+), (\S+), (\S+)\)(; it must be a unit quaternion )\(w, x, y, z\)/g, '($2, $3, $4, $1)$5(x, y, z, w)'],
    [/ Settings that are out of range got their defaults\./, ''],  // here there is no such world
    [/\.(\w+) = talus::(\w+)\(([\d.]+)f\)/g, '$1: talus.$2($3)'],
    [/\bthe functions of shape\.h\b/g, 'talus.sphere(), talus.box() and the like'],
    [/\ba combination of AxisLock flags\b/g, 'a sum of talus.locks'],
    [/\bas_added\b/g, 'talus.asAdded'],
    [/\b[A-Z]\w*::/g, ''],
    [/\bnan\b/g, 'NaN'],
    [/\binf(inity)?\b/g, 'Infinity'],
    [/\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b/g, (name) => name.replace(/_(.)/g, (_, c) => c.toUpperCase())],
];

/// Returns a message of the library with the names of JavaScript, and quaternions x first. A quotation mark begins the
/// name of an asset, which may contain anything; the words after it are the same in both languages.
export function translated(message) {
    const end = message.includes('"') ? message.indexOf('"') : message.length;
    return expressions.reduce((text, [from, to]) => text.replace(from, to), message.slice(0, end)) + message.slice(end);
}

// ---- Checks of arguments --------------------------------------------------------------------------------------------

function shown(value) {
    if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
    if (typeof value === 'object' && value !== null) return Array.isArray(value) ? `an array of ${value.length}` : 'an object';
    if (typeof value === 'bigint') return `${value}n`;
    return typeof value === 'function' ? 'a function' : String(value);
}

/// Returns the error for an argument of a wrong type.
export const wrong = (name, wanted, value) => new TypeError(`${name} must be ${wanted}, but is ${shown(value)}`);

export function number(value, name) {
    if (typeof value !== 'number') throw wrong(name, 'a number', value);
    return value;
}

/// Whether a value is a buffer of bytes. Pages without the headers for threads have no SharedArrayBuffer.
const isBuffer = (value) => value instanceof ArrayBuffer ||
    (typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer);

export function boolean(value, name) {
    if (typeof value !== 'boolean') throw wrong(name, 'true or false', value);
    return value;
}

export function integer(value, name, least, most) {
    if (!Number.isInteger(value) || value < least || value > most) {
        throw wrong(name, `an integer from ${least} to ${most}`, value);
    }
    return value;
}

/// Returns an index as the library takes it.
export const index = (value, name) => integer(value, name, 0, 0xfffffffe);

/// Returns a number that is finite. `call`, `range` and `allowed` are for the message.
export function finite(value, name, call, allowed, range = () => true) {
    if (Number.isFinite(number(value, name)) && range(value)) return value;
    const code = Number.isFinite(value) ? 'badArgument' : 'notFinite';
    throw new TalusError(code, `${call}: ${name} is ${value}; it must be ${allowed}`);
}

export function func(value, name) {
    if (typeof value !== 'function') throw wrong(name, 'a function', value);
    return value;
}

/// Returns the number of an enumeration's word.
export function word(type, value, name) {
    const number = enums[type].indexOf(value);
    if (number < 0) throw wrong(name, `one of '${enums[type].join("', '")}'`, value);
    return number;
}

// ---- Handles --------------------------------------------------------------------------------------------------------
//
// bridge.cpp says how a handle is a number. The library gets its two halves, and refuses null and stale handles with a
// sentence. It would call every other number null, so those are refused here.

const slots = 2097152;  // 2^21

export function low(handle, name) {
    if (Number.isSafeInteger(handle) && handle >= 0) {
        const half = -(handle & (slots - 1)) | 0;
        if (half !== 0 || handle === 0) return half;
    }
    throw wrong(name, 'a handle (a number that addBody() or addJoint() has returned)', handle);
}
/// The same for functions that also take numbers that are no handles. Those count as null.
export function lowOrNull(handle, name) {
    return Number.isSafeInteger(number(handle, name)) && handle >= 0 ? -(handle & (slots - 1)) | 0 : 0;
}
export const high = (handle) => (handle / slots) | 0;

export function packed(low, high) {
    const slot = -low >>> 0;
    if (slot === 0) return 0;
    if (slot >= slots) throw new TalusError('tooComplex', 'a world in JavaScript has room for 2,097,151 bodies and joints each');
    return (high >>> 0) * slots + slot;
}

// ---- Integers of 64 bits --------------------------------------------------------------------------------------------

/// Returns the two halves of user data.
export function halves(value, name) {
    if (typeof value === 'bigint' ? value >= 0n && value < 1n << 64n : Number.isSafeInteger(value) && value >= 0) {
        const wide = BigInt(value);
        return [Number(wide & 0xffffffffn), Number(wide >> 32n)];
    }
    throw wrong(name, 'an integer from 0 to 2^53 - 1, or a BigInt from 0 to 2^64 - 1', value);
}

/// Returns user data: a number, or a BigInt if it is too large for one.
export function wide(low, high) {
    high >>>= 0;
    low >>>= 0;
    return high < slots ? high * 4294967296 + low : (BigInt(high) << 32n) | BigInt(low);
}

/// Returns 64 bits as 16 hexadecimal digits.
export const hex = (low, high) => [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');

// ---- Memory ---------------------------------------------------------------------------------------------------------

const scratchBytes = 65536;
const noTriangle = 0xffffffff;

/// The library's memory, and codecs for what is in it.
export class Memory {
    #exports;
    #memory;          // WebAssembly's
    #scratch;         // begin of the temporary memory
    #top;             // first byte of it that is free
    #large = [];      // temporary blocks that did not fit
    #reading = 0;     // how many arguments are being read; their getters are the user's code
    #codecs = new Map();
    #fields = new Map();
    #defaults = new Map();

    constructor(exports, memory) {
        this.#exports = exports;
        this.#memory = memory;
        this.refresh();
        this.#scratch = this.#top = this.permanent(scratchBytes);
        for (const [type, name] of Object.entries(makers)) this.#defaults.set(type, exports[name]);
    }

    /// Makes the views anew: they end when the memory grows.
    refresh() {
        const { buffer } = this.#memory;
        this.U8 = new Uint8Array(buffer);
        this.I32 = new Int32Array(buffer);
        this.U32 = new Uint32Array(buffer);
        this.F32 = new Float32Array(buffer);
        this.F64 = new Float64Array(buffer);
    }

    /// The library has taken a page of memory. Takes an eighth more, so that the views do not end at each page.
    grown() {
        const memory = this.#memory;
        try {
            memory.grow(memory.buffer.byteLength >> 19);
        } catch {
            // There is no more than the page.
        }
        this.refresh();
    }

    /// Other threads may have taken memory.
    refreshIfGrown() {
        if (this.#memory.buffer !== this.U8.buffer) this.refresh();
    }

    /// Returns memory that stays until release().
    permanent(bytes) {
        const pointer = bytes < 2 ** 31 ? this.#exports.malloc(bytes) : 0;
        if (!pointer) throw new TalusError('outOfMemory', 'the system has no more memory');
        return pointer;
    }
    release(pointer) {
        this.#exports.free(pointer);
    }

    /// Throws while an argument is being read: a getter of it must not change what the call has found already.
    checkIdle() {
        if (this.#reading > 0) {
            throw new TalusError('badArgument', 'Talus cannot be called by a getter of an argument that it reads');
        }
    }
    /// Reads an argument by f().
    guard(f) {
        ++this.#reading;
        try {
            return f();
        } finally {
            --this.#reading;
        }
    }

    /// Ends the temporary memory of the call before.
    begin() {
        if (this.#reading > 0) this.checkIdle();
        this.#top = this.#scratch;
        while (this.#large.length > 0) this.release(this.#large.pop());
    }

    /// Releases memory when the next call begins.
    later(pointer) {
        this.#large.push(pointer);
    }

    /// Returns temporary memory.
    allocate(bytes) {
        const pointer = this.#top;
        if (bytes > this.room) {
            this.#large.push(0);  // so that there is room in the list before there is a block
            return (this.#large[this.#large.length - 1] = this.permanent(bytes));
        }
        this.#top += (bytes + 7) & ~7;
        return pointer;
    }
    get room() {
        return this.#scratch + scratchBytes - this.#top;
    }

    // ---- Lists and text ----

    /// Returns {pointer, length} of a temporary copy of bytes: a buffer, or the bytes of a view of one.
    bytes(value, name) {
        let bytes = value;
        if (ArrayBuffer.isView(value)) {
            if (!(value instanceof Uint8Array)) bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        } else if (isBuffer(value)) {
            bytes = new Uint8Array(value);
        } else {
            throw wrong(name, 'an ArrayBuffer or a view of one, such as a Uint8Array', value);
        }
        const { length } = bytes;
        const pointer = this.allocate(length);
        this.U8.set(bytes, pointer);
        return { pointer, length };
    }

    /// Returns a temporary copy of text, with a zero at its end.
    text(value, name) {
        if (typeof value !== 'string') throw wrong(name, 'a string', value);
        if (value.includes('\0')) throw wrong(name, 'a string without zeros', value);
        return this.bytes(new TextEncoder().encode(value + '\0'), name).pointer;
    }

    /// Returns the text at a pointer, up to its zero.
    textAt(pointer) {
        return new TextDecoder().decode(this.U8.slice(pointer, this.U8.indexOf(0, pointer)));  // a copy: browsers refuse shared memory
    }

    /// Returns {pointer, length} of a temporary copy of numbers: a typed array, an array, or an array of arrays of
    /// `width`.
    numbers(value, view, name, width = 1) {
        return this.guard(() => this.#numbers(value, view, name, width));
    }
    #numbers(value, view, name, width) {
        const wanted = width === 1 ? 'a list of numbers' : `a list of numbers or of lists of ${width} numbers`;
        const typed = ArrayBuffer.isView(value) && !(value instanceof DataView);
        if (!typed && !Array.isArray(value)) throw wrong(name, wanted, value);
        const nested = width > 1 && value.length > 0 && typeof value[0] === 'object';
        const length = value.length * (nested ? width : 1);
        const bytes = this[view].BYTES_PER_ELEMENT;
        const pointer = this.allocate(Math.max(length * bytes, 1));
        const start = pointer / bytes;
        if (typed) {
            if (typeof value[0] === 'bigint') throw wrong(name, wanted, value);
            this[view].set(value, start);
        } else if (nested) {
            const { write } = this.codec('TalusVec3');
            for (let i = 0; i < value.length; ++i) write(pointer + i * width * bytes, value[i], name);
        } else {
            for (let i = 0; i < length; ++i) {
                const element = number(value[i], `${name}[${i}]`);
                if (view !== 'F32' && view !== 'F64') integer(element, `${name}[${i}]`, 0, view === 'U8' ? 255 : 0xffffffff);
                this[view][start + i] = element;
            }
        }
        return { pointer, length };
    }

    /// Returns {pointer, count} of a temporary list of structures.
    list(type, values, name) {
        if (!Array.isArray(values)) throw wrong(name, 'an array', values);
        const codec = this.codec(type);
        const count = values.length;
        const pointer = this.allocate(Math.max(count * codec.size, 1));
        this.guard(() => {
            for (let i = 0; i < count; ++i) codec.put(pointer + i * codec.size, values[i], `${name}[${i}]`);
        });
        return { pointer, count };
    }

    /// Returns a temporary structure: the defaults of its type, and the fields of `value`.
    temporary(type, value, name) {
        const codec = this.codec(type);
        const pointer = this.allocate(codec.size);
        codec.put(pointer, value, name);
        return pointer;
    }

    // ---- Codecs ----

    /// Returns the codec of a type.
    codec(type) {
        let codec = this.#codecs.get(type);
        if (!codec) this.#codecs.set(type, (codec = this.#make(type)));
        return codec;
    }
    /// Sets the codec of a type.
    define(type, codec) {
        this.#codecs.set(type, codec);
    }
    /// Sets the codec of a field: 'TalusShape.hull', or '.triangle' for all fields of that name.
    defineField(name, codec) {
        this.#fields.set(name, codec);
    }

    /// Sets the function that writes the defaults of a structure to a place.
    defineDefaults(type, write) {
        this.#defaults.set(type, write);
    }

    #make(type) {
        if (type in enums) {
            return {
                size: 4,
                read: (p) => enums[type][this.I32[p >> 2]],
                write: (p, value, name) => (this.I32[p >> 2] = word(type, value, name)),
            };
        }
        switch (type) {
            case 'float': return this.#number('F32');
            case 'double': return this.#number('F64');
            case 'int32_t': return this.#integer('I32', -0x80000000, 0x7fffffff);
            case 'size_t':
            case 'uint32_t': return this.#integer('U32', 0, 0xffffffff);
            case 'uint8_t': return this.#integer('U8', 0, 255);
            case 'bool':
                return {
                    size: 1,
                    read: (p) => this.U8[p] !== 0,
                    write: (p, value, name) => (this.U8[p] = boolean(value, name) ? 1 : 0),
                };
            case 'uint64_t':
                return {
                    size: 8,
                    read: (p) => wide(this.U32[p >> 2], this.U32[(p >> 2) + 1]),
                    write: (p, value, name) => this.U32.set(halves(value, name), p >> 2),
                };
            case 'TalusBodyId':
            case 'TalusJointId':
                return {
                    size: 8,
                    read: (p) => packed(this.U32[p >> 2], this.U32[(p >> 2) + 1]),
                    write: (p, value, name) => {
                        this.I32[p >> 2] = low(value, name);
                        this.I32[(p >> 2) + 1] = high(value);
                    },
                };
            case 'TalusVec3': return this.#vector('F32', 3);
            case 'TalusQuat': return this.#vector('F32', 4);
            case 'TalusMat3': return this.#vector('F32', 9);
            case 'TalusDVec3': return this.#vector('F64', 3);
            case 'TalusColor': return this.#vector('U8', 4);
            default: return this.struct(type, structs[type].size, structs[type].fields);
        }
    }

    #number(view) {
        const shift = view === 'F32' ? 2 : 3;
        return {
            size: 1 << shift,
            read: (p) => this[view][p >> shift],
            write: (p, value, name) => (this[view][p >> shift] = number(value, name)),
        };
    }

    #integer(view, least, most) {
        const shift = view === 'U8' ? 0 : 2;
        return {
            size: 1 << shift,
            read: (p) => this[view][p >> shift],
            write: (p, value, name) => (this[view][p >> shift] = integer(value, name, least, most)),
        };
    }

    /// A few numbers: read as an array, written from a list or from an object with x, y and z. Such an object may have
    /// a function `length`, as three.js's vectors do.
    #vector(view, count) {
        const bytes = { U8: 1, F32: 4, F64: 8 }[view];
        return {
            size: bytes * count,
            read: count === 3
                ? (p) => {
                    const memory = this[view], i = p / bytes;
                    return [memory[i], memory[i + 1], memory[i + 2]];
                }
                : (p) => Array.from(this[view].subarray(p / bytes, p / bytes + count)),
            write: (p, value, name) => {
                ++this.#reading;
                try {
                    const list = value !== null && typeof value === 'object' && typeof value.length !== 'number'
                        ? count === 3 ? [value.x, value.y, value.z] : [value.x, value.y, value.z, value.w]
                        : value;
                    if (list === null || typeof list !== 'object' || list.length !== count) {
                        throw wrong(name, `${count} numbers`, value);
                    }
                    const memory = this[view];
                    for (let i = 0; i < count; ++i) {
                        const number = list[i];
                        if (typeof number !== 'number') throw wrong(name, `${count} numbers`, value);
                        memory[p / bytes + i] = number;
                    }
                } finally {
                    --this.#reading;
                }
            },
        };
    }

    /// An array of a known length: read as a whole, and written up to that length.
    #array(codec, count) {
        return {
            size: codec.size * count,
            read: (p) => Array.from({ length: count }, (_, i) => codec.read(p + i * codec.size)),
            write: (p, values, name) => {
                if (!Array.isArray(values) || values.length > count) throw wrong(name, `an array of at most ${count}`, values);
                values.forEach((value, i) => codec.write(p + i * codec.size, value, name));
            },
        };
    }

    /// The codec of a structure. `fill` writes the defaults, `write` the fields that are given, and `put` both.
    struct(type, size, layout) {
        const fields = new Map();
        for (const [name, [fieldType, offset, count]] of Object.entries(layout)) {
            const special = this.#fields.get(`${type}.${name}`) ?? this.#fields.get(`.${name}`);
            if (special === hidden || (name === 'size' && offset === 0)) continue;
            const codec = special ?? (count ? this.#array(this.codec(fieldType), count) : this.codec(fieldType));
            fields.set(name, { name, offset, read: codec.read, write: codec.put ?? codec.write, fill: codec.fill });
        }
        const list = [...fields.values()];
        const needed = required[type] ?? [];

        let defaults;
        const fill = (p) => {
            if (!defaults) {
                const make = this.#defaults.get(type);
                if (make) {
                    make(p);
                } else {  // zeros, with the defaults of the parts
                    this.U8.fill(0, p, p + size);
                    for (const { offset, fill } of list) fill?.(p + offset);
                }
                defaults = this.U8.slice(p, p + size);
            }
            this.U8.set(defaults, p);
        };
        const write = (p, value, name) => {
            if (value === null || typeof value !== 'object') throw wrong(name, 'an object', value);
            ++this.#reading;
            try {
                for (const key in value) {
                    const field = fields.get(key);
                    if (!field) throw new TypeError(`${name} has no field ${shown(key)}`);
                    const given = value[key];
                    if (given !== undefined) field.write(p + field.offset, given, key);
                }
            } finally {
                --this.#reading;
            }
        };
        return {
            size,
            fill,
            write,
            read: (p) => {
                const result = {};
                for (const { name, offset, read } of list) result[name] = read(p + offset);
                return result;
            },
            put: (p, value, name) => {
                if (value === null || typeof value !== 'object') throw wrong(name, 'an object', value);
                this.guard(() => {
                    for (const field of needed) if (value[field] === undefined) throw missing(name, field);
                });
                fill(p);
                write(p, value, name);
            },
        };
    }
}

/// The codec of fields that users do not see.
export const hidden = {};

/// Fields without a default, for structures of which all fields would be zero without one.
const required = {
    TalusShape: ['type'],
    TalusMassProperties: ['mass', 'center', 'inertia'],
    TalusMeshDef: ['vertices', 'indices'],
    TalusHeightFieldDef: ['columns', 'rows', 'heights'],
    TalusRay: ['origin', 'translation'],
    TalusShapeCast: ['shape', 'pose', 'translation'],
    TalusWorldAabb: ['lower', 'upper'],
};
export const missing = (name, field) => new TypeError(`${name} has no ${field}; it needs one`);

/// The functions that write the defaults of a structure.
const makers = {
    TalusTransform: 'talus_transform',
    TalusWorldTransform: 'talus_world_transform',
    TalusFilter: 'talus_filter',
    TalusMaterial: 'talus_material',
    TalusShapeDef: 'talus_shape_def',
    TalusBodyDef: 'talus_body_def',
    TalusMeshDef: 'talus_mesh_def',
    TalusHeightFieldDef: 'talus_height_field_def',
    TalusDebugDrawOptions: 'talus_debug_draw_options',
};
