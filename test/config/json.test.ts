import { assert, json, nat, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonFile } from '../../src/config/json.ts'
import { SvcError } from '../../src/errors.ts'

describe('malformed JSON is placed', () => {
  it.each<[string, number, number, string?]>([
    ['', 1, 1, 'the file ends too early'],
    ['{', 1, 2, 'the file ends too early'],
    ['{"a": tr', 1, 9, 'the file ends too early'],
    ['{"a": "x', 1, 9, 'the file ends too early'],
    ['{"a": }', 1, 7],
    ['{"a": 1,}', 1, 9],
    ["{'a': 1}", 1, 2],
    ['{"a" 1}', 1, 6],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{\r\n"a": [1 2]}', 2, 9],
    ['{"a": "x\ny"}', 1, 9],
    ['{"a": "\\q"}', 1, 9],
    ['{} {}', 1, 4],
    ['{"a": 1, // no\n"b": 2}', 1, 10],
    ['{"a": 01}', 1, 8],
    ['{"a": tru}', 1, 10],
    ['{"a": NaN}', 1, 7],
    ['{"a": "in JSON at position 3", "b": in JSON at position 3}', 1, 37],
    ['{"a": 1, "b": 2, "a": 3}', 1, 18, 'duplicate key "a"'],
    ['{"a": {"b": 1,\n "\\u0062": 2}}', 2, 2, 'duplicate key "b"'],
    ['{"a": ["a", {"a": "\\"a\\":"}], "b": "a", "b" : 1}', 1, 41, 'duplicate key "b"'],
    ['"é" x', 1, 5],
  ])('%j at %i:%i: %s', (text, line, column, reason = 'malformed JSON') => {
    expect(() => parseJsonFile('FILE', text)).toThrow(
      new RegExp(`^FILE:${line}:${column}: ${reason}$`),
    )
  })
})

/** The value that was read, or undefined. JSON itself decides about a duplicate key. */
function outcome(read: (text: string) => unknown, text: string): unknown {
  try {
    return { value: read(text) }
  } catch (error) {
    if (error instanceof SvcError && error.message.includes(': duplicate key'))
      return outcome((each) => JSON.parse(each), text)
    return 'refused'
  }
}

it('reads what JSON.parse reads, and refuses what it refuses', () => {
  assert(
    property(json({ maxDepth: 8 }), nat(), string({ maxLength: 2 }), (valid, at, more) => {
      const cut = at % (valid.length + 1)
      const text = valid.slice(0, cut) + more + valid.slice(cut)
      expect(outcome((each) => parseJsonFile('FILE', each), text)).toEqual(
        outcome((each) => JSON.parse(each), text),
      )
    }),
    { numRuns: 500 },
  )
})
