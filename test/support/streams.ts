/** Streams that keep what a program writes, and a terminal on which a person types. */
import { PassThrough, Writable } from 'node:stream'
import type { Terminal } from '../../src/host.ts'

/** Keeps everything that is written to it. */
export class Collector extends Writable {
  readonly chunks: Buffer[] = []

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.chunks.push(Buffer.from(chunk))
    callback()
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8')
  }
}

/** A terminal on which answers are typed, each followed by Enter. `shown` returns what was written to it. */
export function typing(...answers: readonly string[]) {
  // So wide that no question is wrapped.
  const shown = Object.assign(new Collector(), { columns: 1000 })
  return {
    terminal: (): Terminal => {
      const input = new PassThrough()
      for (const answer of answers) input.write(`${answer}\n`)
      return { input, output: shown, close: () => input.destroy() }
    },
    shown: () => shown.text,
  }
}
