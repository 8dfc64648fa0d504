/** Streams that keep what a program writes, and a terminal on which a person types. */
import { PassThrough, Writable } from 'node:stream'
import type { Terminal } from '../../src/host.ts'

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

/** Answers typed on a terminal: at each question the next ones, and the last one again. */
export function typing(...answers: readonly string[]) {
  // So wide that no question is wrapped.
  const shown = Object.assign(new Collector(), { columns: 1000 })
  let questions = 0
  return {
    terminal: (): Terminal => {
      const input = new PassThrough()
      const from = Math.min(questions, answers.length - 1)
      questions += 1
      if (questions > answers.length + 20) throw new Error(`asked again and again: ${shown.text}`)
      for (const answer of answers.slice(from)) input.write(`${answer}\n`)
      return { input, output: shown, close: () => input.destroy() }
    },
    shown: () => shown.text,
  }
}
