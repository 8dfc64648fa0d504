/** Whether names agree: pairs judged by hand, and the words that `find --name` looks for. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { doNamesContradict, nameTest } from '../../src/people/names.ts'

const byHand = readFileSync(new URL('names-by-hand.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .flatMap((line) => {
    const [, one, sign, others = ''] = /^(.*?) ?([=≠]) ?(.*)$/.exec(line) ?? []
    return others.split(' | ').map((other) => [one, sign, other])
  })

test('names that were judged by hand, on either side', () => {
  const wrong = byHand.filter(([one = '', sign = '', other = '']) =>
    [doNamesContradict(one, other), doNamesContradict(other, one)].includes(sign === '='),
  )
  expect(wrong).toEqual([])
})

test.each([
  ['soeren holm', 'Søren Holm', true],
  ['isik', 'İsmail Işık', true],
  ['oneill', "Siân O'Neill", true],
  ['pierre', 'Jean-Pierre Martin', true],
  ['s', 'Søren Holm', false],
  ['holms', 'Søren Holm', false],
])('find --name %s of %s: %s', (typed, name, fits) => {
  expect(nameTest([typed])(name)).toBe(fits)
})

test('a name without a word cannot be looked for', () => {
  for (const typed of ['', ' ', '👩', '-'])
    expect(() => nameTest([typed])).toThrow('there is no word in --name')
})
