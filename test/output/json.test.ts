/** Documents as JSON text in pieces: the same text as in one piece, however long their lists are. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactJson, JsonWriter } from '../../src/output/json.ts'
import { atRandom } from '../figures/figure.ts'

const pieces = (document: unknown, indent?: 2): string[] => [...new JsonWriter().pieces(document, indent)]

describe('a document with long lists', () => {
  const longer = Array.from({ length: 2_500 }, (_, n) => `${n}`)

  it.each([[[]], [['a']], [longer.slice(0, 999)], [longer.slice(0, 1_000)], [longer.slice(0, 1_001)], [longer]])(
    'is the text that JSON.stringify gives',
    (list) => {
      const document = { before: { a: [1] }, list, none: undefined, after: null }
      expect(pieces(document).join('')).toBe(JSON.stringify(document))
      expect(pieces(document, 2).join('')).toBe(JSON.stringify(document, undefined, 2))
    },
  )

  it('and however long its texts and names are, in pieces that leave time for signals', () => {
    const long = fc.array(fc.constantFrom('x', '"', 'é', '\n', ' ', '客', '😀', '\\', 7, null, [], {}, [1, { a: 'b' }]))
    const times = 20_000
    fc.assert(
      fc.property(long, fc.constantFrom(undefined, 2 as const), (units, indent) => {
        const text = units.filter((unit) => typeof unit === 'string').join('')
        const document = { a: 1, [text.repeat(times)]: units, b: { text: [text.repeat(times), 'c'], none: undefined } }
        const all = { document, list: Array.from({ length: times }, () => units.slice(0, 3)), end: [] }
        const parts = pieces(all, indent)
        expect(parts.join('')).toBe(JSON.stringify(all, undefined, indent))
        expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(2_000_000)
      }),
      { numRuns: atRandom(8) },
    )
  })

  it('its numbers keep their digits, and millions of quotes are not too many', async () => {
    const text = `{"a":[9007199254740993001,1.50,"-1 \\" 2"],"b":${JSON.stringify('"\\'.repeat(3_000_000))},"-3":-0}`
    expect(new JsonWriter().text(await ExactJson.parse(text))).toBe(text)
    expect(await ExactJson.parse('{"a":01}')).toBe(undefined)
  })

  it('never writes a whole list at once', () => {
    const parts = pieces({ list: Array.from({ length: 100_000 }, () => 'x'.repeat(24)) }, 2)
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(50_000)
  })
})
