import { assert, json, nat, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonProblem, parseJson } from '../../src/config/json.ts'

describe('malformed JSON is placed', () => {
  it.each([
    ['', 1, 1, 'the file ends where a value is expected'],
    ['{', 1, 2, 'the file ends where a key in double quotes is expected'],
    ['{"a": }', 1, 7, 'a value is expected'],
    ['{"a": 1,}', 1, 9, 'a key in double quotes is expected'],
    ["{'a': 1}", 1, 2, 'a key in double quotes is expected'],
    ['{"a" 1}', 1, 6, 'a colon is expected'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'a comma or } is expected'],
    ['{\r\n"a": [1 2]}', 2, 9, 'a comma or ] is expected'],
    ['{"a": "x\ny"}', 1, 7, 'a text is not closed, or holds a line break or a wrong escape'],
    ['{"a": "\\q"}', 1, 7, 'a text is not closed, or holds a line break or a wrong escape'],
    ['{} {}', 1, 4, 'something follows the end of the value'],
    ['{"a": 1, // no\n"b": 2}', 1, 10, 'a key in double quotes is expected'],
    ['{"a": 01}', 1, 8, 'a comma or } is expected'],
    ['{"a": tru}', 1, 7, 'a value is expected'],
    ['{"a": NaN}', 1, 7, 'a value is expected'],
    ['{"a": 1, "b": 2, "a": 3}', 1, 18, 'the key "a" stands here for the second time'],
    ['{"a": {"b": 1,\n "\\u0062": 2}}', 2, 2, 'the key "b" stands here for the second time'],
    ['"é" x', 1, 5, 'something follows the end of the value'],
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
    expect(() => parseJson('['.repeat(100_000))).toThrow('the nesting is too deep')
  })
})

/** What comes of reading: the value, or that there is none. A key that stands twice is JSON's own business. */
function outcome(read: (text: string) => unknown, text: string): unknown {
  try {
    return { value: read(text) }
  } catch (error) {
    // The text may be no JSON further on, which nobody has read by then.
    if (error instanceof JsonProblem && error.message.includes('for the second time'))
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
