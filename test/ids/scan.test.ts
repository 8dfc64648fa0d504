import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Line } from '../../src/ids/text/line.ts'
import { LineScanner, longestLine } from '../../src/ids/text/scan.ts'
import { idOf } from './inputs.ts'

interface Seen {
  readonly number: number
  readonly text: string
  readonly length: number
  readonly offset: number
}

/** The lines of a text that arrives in pieces of these lengths, one after the other and again from the beginning. */
function scan(text: Buffer, lengths: readonly number[]): Seen[] {
  const lines: Seen[] = []
  const take = (found: readonly Line[]): void => {
    for (const { line, bytes, from, to, length, offset } of found)
      lines.push({ number: line, text: bytes.toString('latin1', from, to), length, offset })
  }
  const scanner = new LineScanner('it')
  let at = 0
  for (let turn = 0; at < text.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    // A copy: the reader uses its buffer again.
    const piece = Buffer.from(text.subarray(at, at + length))
    take(scanner.feed(piece))
    piece.fill(0)
    at += length
  }
  take(scanner.finish())
  return lines
}

const pieces = fc.constantFrom(idOf(1), idOf(2), '\n', '\r', '\r\n', 'x', '', idOf(3).slice(1), '\u00e9')
const texts = fc.array(pieces, { maxLength: 30 }).map((parts) => Buffer.from(parts.join('')))

it('any text in any pieces: the lines, their numbers and offsets are those of the whole', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }), (text, lengths) => {
      const expected: Seen[] = []
      let offset = 0
      const all = text.toString('latin1').match(/[^\r\n]*(?:\r\n|\r|\n|$)/g) ?? []
      for (const [index, line] of all.entries()) {
        const bare = line.replace(/[\r\n]+$/, '')
        if (line !== '') expected.push({ number: index + 1, text: bare, length: bare.length, offset })
        offset += line.length
      }
      expect(scan(text, lengths)).toEqual(expected)
    }),
    { numRuns: 1_000 },
  )
})

it('a NUL byte is found wherever it stands', () => {
  for (const lengths of [[1], [3], [1000]]) {
    expect(() => scan(Buffer.from(`ab\r\ncd\0`), lengths)).toThrow('NUL byte at byte 6 (line 2)')
    expect(() => scan(Buffer.from(`${idOf(1)}\n\0`), lengths)).toThrow('NUL byte at byte 25 (line 2)')
  }
})

it('a line that is too long is counted, and only its beginning kept, whether it comes at once or in pieces', () => {
  const length = longestLine + 5
  const text = Buffer.concat([Buffer.alloc(length, 'f'), Buffer.from(`\n${idOf(1)}\n`), Buffer.alloc(length, 'e')])
  for (const lengths of [[text.length], [1 << 16]]) {
    const lines = scan(text, lengths)
    expect(lines.map(({ number, length: bytes, offset }) => [number, bytes, offset])).toEqual([
      [1, length, 0],
      [2, 24, length + 1],
      [3, length, length + 26],
    ])
    for (const line of lines) expect(line.text.length).toBeLessThanOrEqual(200)
  }
})
