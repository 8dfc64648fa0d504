/** The text of a line: it comes back as it was, and a line that was changed or has another before it is none. */
import { expect, it } from 'vitest'
import { decodeLine, encodeLine, type NewLine } from '../../src/runs/lines.ts'
import { beginningOf } from '../support/records.ts'

const [open = {}, run = {}, ids = {}] = beginningOf('contacts.delete')
const textOf = (line: object, before = 0) =>
  encodeLine({ ...(line as NewLine), at: 5 }, before).text.slice(0, -1)

it.each([
  open,
  run,
  ids,
  { t: 'try', b: [0, 2], assigneeBefore: null },
  { t: 'end', outcomes: {}, due: 0 },
])('%o comes back from its text', (line) => {
  const text = textOf(line, 77)
  expect(decodeLine(text, 77)?.line).toEqual({ ...line, at: 5 })
  expect(decodeLine(text, 78)).toBeUndefined()
})

it('the first line of a later part says itself what stood before it', () => {
  const later = textOf({ ...open, after: 77 }, 77)
  expect(decodeLine(later, undefined)?.line).toMatchObject({ after: 77 })
  expect(decodeLine(textOf({ ...open, after: 77 }, 78), undefined)).toBeUndefined()
})

it('no byte of it can change, and its end cannot be missing', () => {
  const whole = Buffer.from(textOf({ t: 'res', b: [0, 2], o: 'done' }))
  for (const at of whole.keys()) {
    const changed = Buffer.from(whole)
    changed[at] = (whole[at] ?? 0) ^ 1
    const [cut, zeroed] = [whole.subarray(0, at), Buffer.from(whole).fill(0, at, at + 1)]
    for (const bytes of [changed, cut, zeroed])
      expect(decodeLine(bytes.toString(), 0)).toBeUndefined()
  }
})
