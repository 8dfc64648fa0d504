/** JSON documents whose numbers keep their digits. */
import { expect, it } from 'vitest'
import { ExactJson, jsonText } from '../../src/output/json.ts'

it('its numbers keep their digits, and hundreds of thousands of quotes are not too many', () => {
  const text = `{"a":[9007199254740993001,1.50,"-1 \\" 2"],"b":${JSON.stringify('"\\'.repeat(200_000))},"-3":-0}`
  expect(jsonText(ExactJson.parse(text))).toBe(text)
  expect(ExactJson.parse('{"a":01}')).toBe(undefined)
})
