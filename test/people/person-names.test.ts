/** Whether names agree: pairs judged by hand. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { doNamesContradict } from '../../src/people/person-names.ts'

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
