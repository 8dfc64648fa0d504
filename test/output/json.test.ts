/** Documents as JSON text in pieces: the same text as in one piece, however long their lists are. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactJson, jsonText, JsonWriter, LazyList } from '../../src/output/json.ts'
import { Redactor } from '../../src/output/text/redact.ts'
import { atRandom } from '../figures/figure.ts'

const pieces = (document: unknown, indent?: 2): string[] => [...new JsonWriter().pieces(document, indent)]

/** The same document with its arrays as lazy lists. */
function lazily(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, Array.isArray(value) ? new LazyList(() => value) : value]),
  )
}

describe('a document with lazy lists', () => {
  const longer = Array.from({ length: 2_500 }, (_, n) => `${n}`)

  it.each([[[]], [['a']], [longer.slice(0, 999)], [longer.slice(0, 1_000)], [longer.slice(0, 1_001)], [longer]])(
    'is the text of one with arrays',
    (list) => {
      const document = { before: { a: [1] }, list, none: undefined, after: null }
      expect(pieces(lazily(document)).join('')).toBe(JSON.stringify(document))
      expect(pieces(lazily(document), 2).join('')).toBe(JSON.stringify(document, undefined, 2))
    },
  )

  it('whatever it holds', () => {
    const value = fc.jsonValue()
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(value, fc.array(value))), (document) => {
        const text = (indent?: 2) => new JsonWriter().text(document, indent)
        expect(pieces(lazily(document)).join('')).toBe(text())
        expect(pieces(lazily(document), 2).join('')).toBe(text(2))
      }),
    )
  })

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

  it('never holds a whole list', () => {
    const parts = pieces(lazily({ list: Array.from({ length: 100_000 }, () => 'x'.repeat(24)) }), 2)
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(50_000)
  })

  it('is closed when a list breaks off, and the failure is thrown', () => {
    const failure = new Error('the disk reports an error')
    const list = new LazyList(function* () {
      yield 'a'
      yield 'b'
      throw failure
    })
    for (const indent of [undefined, 2] as const) {
      let text = ''
      const write = (): void => {
        for (const piece of new JsonWriter().pieces({ before: 1, list, after: 2 }, indent)) text += piece
      }
      expect(write).toThrow(failure)
      expect(JSON.parse(text)).toEqual({ before: 1, list: ['a', 'b'] })
    }
  })

  it('is redacted as it is read, and is an array for whoever wants all of it', () => {
    const redactor = new Redactor()
    redactor.hide('sk_0123456789')
    const document = redactor.applyTo({ list: new LazyList(() => ['a', 'sk_0123456789']) })
    expect(pieces(document).join('')).toBe('{"list":["a","[hidden]"]}')
    expect(jsonText(document)).toBe('{"list":["a","[hidden]"]}')
  })
})
