import { assert, json, nat, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonProblem, parseJson } from '../../src/config/json.ts'

describe('malformed JSON is placed', () => {
  it.each([
    ['', 1, 1, 'the file ends too early'],
    ['{', 1, 2, "expected property name or '}'"],
    ['{"a": tr', 1, 9, 'the file ends too early'],
    ['{"a": "x', 1, 9, 'unterminated string'],
    ['{"a": }', 1, 7, 'unexpected token'],
    ['{"a": 1,}', 1, 9, 'expected double-quoted property name'],
    ["{'a': 1}", 1, 2, "expected property name or '}'"],
    ['{"a" 1}', 1, 6, "expected ':' after property name"],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, "expected ',' or '}' after property value"],
    ['{\r\n"a": [1 2]}', 2, 9, "expected ',' or ']' after array element"],
    ['{"a": "x\ny"}', 1, 9, 'bad control character in string literal'],
    ['{"a": "\\q"}', 1, 9, 'bad escaped character'],
    ['{} {}', 1, 4, 'unexpected non-whitespace character'],
    ['{"a": 1, // no\n"b": 2}', 1, 10, 'expected double-quoted property name'],
    ['{"a": 01}', 1, 8, 'unexpected number'],
    ['{"a": tru}', 1, 10, 'unexpected token'],
    ['{"a": NaN}', 1, 7, 'unexpected token'],
    ['{"a": "in JSON at position 3", "b": in JSON at position 3}', 1, 37, 'unexpected token'],
    ['{"a": 1, "b": 2, "a": 3}', 1, 18, 'duplicate key "a"'],
    ['{"a": {"b": 1,\n "\\u0062": 2}}', 2, 2, 'duplicate key "b"'],
    ['{"a": ["a", {"a": "\\"a\\":"}], "b": "a", "b" : 1}', 1, 41, 'duplicate key "b"'],
    ['"é" x', 1, 5, 'unexpected non-whitespace character'],
  ])('%j at %i:%i: %s', (text, line, column, reason) => {
    let caught: unknown
    try {
      parseJson(text)
    } catch (error) {
      caught = error
    }
    expect(caught).toBeInstanceOf(JsonProblem)
    expect(caught).toMatchObject({ line, column, message: reason })
  })

  it('is refused when it is nested too deeply, without overflowing the stack', () => {
    expect(() => parseJson('['.repeat(100_000))).toThrow('the file ends too early')
    expect(() => parseJson('['.repeat(100_000) + ']'.repeat(100_000))).toThrow(
      'the nesting is too deep',
    )
  })
})

/** What comes of reading: the value, or that there is none. A duplicate key is JSON's own business. */
function outcome(read: (text: string) => unknown, text: string): unknown {
  try {
    return { value: read(text) }
  } catch (error) {
    if (error instanceof JsonProblem && error.message.startsWith('duplicate key'))
      return outcome((each) => JSON.parse(each), text)
    return 'refused'
  }
}

it('reads what JSON.parse reads, and refuses what it refuses', () => {
  assert(
    property(json({ maxDepth: 8 }), nat(), string({ maxLength: 2 }), (valid, at, more) => {
      const cut = at % (valid.length + 1)
      const text = valid.slice(0, cut) + more + valid.slice(cut)
      expect(outcome(parseJson, text)).toEqual(outcome((each) => JSON.parse(each), text))
    }),
    { numRuns: 500 },
  )
})
