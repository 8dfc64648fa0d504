/**
 * Messages between the thread of the world and that of a process. One of the two waits at any moment: a call of a process blocks it
 * until the world answers, and the world blocks until the process calls again. So one seed decides everything.
 */
import { deserialize, serialize } from 'node:v8'

/** Whose turn it is. A process begins. */
const turns = { process: 0, world: 1 } as const

const headBytes = 8
/** Milliseconds after which a thread that does not call again is taken for endless. */
const longest = 30_000

export const newMemory = () => new SharedArrayBuffer(headBytes + (1 << 19))

export class Channel {
  readonly #control: Int32Array
  readonly #bytes: Buffer

  constructor(memory: SharedArrayBuffer) {
    this.#control = new Int32Array(memory, 0, 2)
    this.#bytes = Buffer.from(memory, headBytes)
  }

  /** In the world: waits for the next call of the process. */
  receive(): unknown {
    return this.#await('world')
  }

  /** In the world: answers the call, and waits for the next one. */
  answer(value: unknown): unknown {
    this.#give(value, 'process')
    return this.#await('world')
  }

  /** In the process: calls the world, and waits for its answer. */
  call(value: unknown): unknown {
    this.#give(value, 'world')
    return this.#await('process')
  }

  #give(value: unknown, to: keyof typeof turns) {
    const bytes = serialize(value)
    if (bytes.length > this.#bytes.length) throw new RangeError('the message is too long')
    this.#control[1] = bytes.copy(this.#bytes)
    Atomics.store(this.#control, 0, turns[to])
    Atomics.notify(this.#control, 0)
  }

  #await(own: keyof typeof turns): unknown {
    const other = own === 'world' ? turns.process : turns.world
    const limit = own === 'world' ? longest : Infinity
    // A notification that comes late can wake the wrong side.
    while (Atomics.load(this.#control, 0) === other)
      if (Atomics.wait(this.#control, 0, other, limit) === 'timed-out')
        throw new Error('a process does not end')
    return deserialize(Buffer.from(this.#bytes.subarray(0, this.#control[1]))) as unknown
  }
}
