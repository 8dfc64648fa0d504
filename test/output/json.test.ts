/** Documents as JSON text in pieces: the same text as in one piece, however long their lists are. */
import { describe, expect, it } from 'vitest'
import { ExactJson, JsonWriter } from '../../src/output/json.ts'

const pieces = (document: unknown, indent?: 2): string[] => [...new JsonWriter().pieces(document, indent)]

describe('a document with long lists', () => {
  const longer = Array.from({ length: 25_000 }, (_, n) => `${n}`)

  it.each([[[]], [['a']], [longer.slice(0, 10_000)], [longer.slice(0, 10_001)], [longer.slice(0, 20_000)], [longer]])(
    'is the text that JSON.stringify gives',
    (list) => {
      const document = { before: { a: [1] }, list, none: undefined, other: list.map((n) => ({ n })), after: null }
      expect(pieces(document).join('')).toBe(JSON.stringify(document))
      expect(pieces(document, 2).join('')).toBe(JSON.stringify(document, undefined, 2))
    },
  )

  it('its numbers keep their digits, and millions of quotes are not too many', () => {
    const text = `{"a":[9007199254740993001,1.50,"-1 \\" 2"],"b":${JSON.stringify('"\\'.repeat(3_000_000))},"-3":-0}`
    expect(new JsonWriter().text(ExactJson.parse(text))).toBe(text)
    expect(ExactJson.parse('{"a":01}')).toBe(undefined)
  })

  it('never writes a whole list at once', () => {
    const parts = pieces({ list: Array.from({ length: 100_000 }, () => 'x'.repeat(24)) }, 2)
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(400_000)
  })
})
