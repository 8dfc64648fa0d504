/** Whether names agree: pairs judged by hand, and random ones against the rule written a second time. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { doNamesContradict, nameMatcher } from '../../src/people/names.ts'
import { figure, howMany } from '../figures/figure.ts'
import { isContradiction } from './name-rule.ts'
import { randomFrom } from '../dice.ts'

const byHand = readFileSync(new URL('names-by-hand.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .flatMap((line) => {
    const [, one, sign, others = ''] = /^(.*?) ?([=≠]) ?(.*)$/.exec(line) ?? []
    return others.split(' | ').map((other) => [one, sign, other])
  })

test('names that were judged by hand', () => {
  const wrong = byHand.filter(([one = '', sign = '', other = '']) =>
    [
      doNamesContradict(one, other),
      doNamesContradict(other, one),
      isContradiction(one, other),
    ].some((verdict) => verdict !== (sign === '≠')),
  )
  expect(wrong).toEqual([])
  expect(byHand.length).toBeGreaterThanOrEqual(300)
  figure('names judged by hand', byHand.length)
})

const words =
  `Ben Anna Maria Miller Müller Mueller Muller Øystein Oeystein Groß gross Łukasz lukasz Đorđe İsmail ismail
  Ｂｅｎ van de la O'Neill O’Neill Jean-Pierre Anna-Maria Dr. Prof Mrs. Herr B. M. A Ö. J.-P. 7 👩 - Νίκος ΝΙΚΟΣ Ν. Иван иван И.
  Фёдор федор محمد مُحَمَّد م. אבי דוד כהן 王 伟 王伟 タナカ ﾀﾅｶ かとう がとう 김 민수 김민수`.split(
    /\s+/,
  )

test('random names, against the rule written a second time', () => {
  const random = randomFrom(11)
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
  const separators = [' ', ' ', ' ', ', ', '-', '.', '  ', '، ']
  const join = (parts: readonly string[]): string =>
    parts.reduce((text, part) => text + pick(separators) + part, '')
  const change = (word: string): string =>
    pick([
      word,
      word,
      word.toUpperCase(),
      word.toLowerCase(),
      word.normalize('NFD'),
      `${word.slice(0, 1)}.`,
      pick(words),
    ])
  const wrong: string[][] = []
  const [count, seen] = [howMany('NAMES', 2_000), { agree: 0, contradict: 0 }]
  for (let n = 0; n < count; n += 1) {
    const some = Array.from({ length: random(5) }, () => pick(words))
    const same = some
      .map((word) => [random(1000), change(word)] as const)
      .toSorted(([a], [b]) => a - b)
    const others = same.slice(random(3) === 0 ? 1 : 0).map(([, word]) => word)
    const [one, other] = [join(some), join(random(4) === 0 ? [...others, pick(words)] : others)]
    const wanted = isContradiction(one, other)
    seen[wanted ? 'contradict' : 'agree'] += 1
    if (doNamesContradict(one, other) !== wanted || doNamesContradict(other, one) !== wanted)
      wrong.push([one, other])
  }
  expect(wrong).toEqual([])
  expect(Math.min(seen.agree, seen.contradict)).toBeGreaterThan(count / 5)
  figure('random pairs of names', count)
})

test.each([
  ['soeren holm', 'Søren Holm', true],
  ['isik', 'İsmail Işık', true],
  ['oneill', "Siân O'Neill", true],
  ['pierre', 'Jean-Pierre Martin', true],
  ['s', 'Søren Holm', false],
  ['holms', 'Søren Holm', false],
  ['👩', '👩', true],
  ['👩', 'Anna', false],
])('find --name %s of %s: %s', (typed, name, fits) => {
  expect(nameMatcher(typed)(name)).toBe(fits)
})

test.each([
  [30, false],
  [31, true],
])('the %i words of a name in another order contradict it: %j', (count, isOther) => {
  const words = Array.from({ length: count }, (_, n) => `Anna${n}`)
  const [name, turned] = [words.join(' '), words.toReversed().join(' ')]
  expect(doNamesContradict(name, turned)).toBe(isOther)
  expect(doNamesContradict(name, name.toUpperCase())).toBe(false)
  // A word less is the same person up to the limit.
  expect(doNamesContradict(name, words.slice(1).join(' '))).toBe(isOther)
})

test('names of a million letters, and of many words, take no time to speak of', () => {
  const long = 'Anna '.repeat(200_000)
  expect(doNamesContradict(long, `${long}Berg`)).toBe(true)
  expect(doNamesContradict(long, ` ${long}`)).toBe(false)
  expect(doNamesContradict('a'.repeat(1_000_000), 'Anna')).toBe(true)
})
