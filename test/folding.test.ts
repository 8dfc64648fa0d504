import { expect, test } from 'vitest'
import { fold, havingName, isNear } from '../src/folding.ts'

const same: readonly (readonly [name: string, ...others: string[]])[] = [
  ['Trade fair', 'trade FAIR', ' Trade  fair\t', 'Trade\u00a0fair', 'Trade\u2003\u3000fair'],
  ['Trade fair', 'Trade\nfair', 'Trade\u2800fair', 'Trade\u0085fair', 'Trade\u202ffair'],
  ['VIP', 'V\u200bIP', 'VI\u00adP', '\ufeffVIP', 'V\u2060I\u200eP', '\uff36\uff29\uff30'],
  ['José', 'Jose\u0301', 'JOSÉ', 'jOSE\u0301', 'Jose\u200b\u0301'],
  ['Straße', 'STRASSE', 'strasse', 'STRA\u1e9eE'],
  ['Σίσυφος', 'ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
  ['Ϋ\u0301'.normalize('NFD'), '\u03b0', '\u03cb\u0301'],
  ['ﬁne №1', 'FINE NO1'],
  ['한국', '한국'.normalize('NFD')],
  ['❤️', '❤'],
  ['\u01f0', 'J\u030c', '\u01f0'.toUpperCase()],
]
test.each(same.map((names) => names))('%j is the same as the others', (name, ...others) => {
  for (const other of others) expect([other, fold(other)]).toEqual([other, fold(name)])
})

const different: readonly (readonly [string, string])[] = [
  ['VIP', 'V I P'],
  ['VIP', 'VIPs'],
  ['VIP', 'VIP.'],
  ['Jose', 'José'],
  ['Muller', 'Müller'],
  ['Mueller', 'Müller'],
  ['a-b', 'a b'],
  ['АВС', 'ABC'],
  ["O'Brien", 'O’Brien'],
]
test.each(different)('%j is not %j', (name, other) => {
  expect(fold(name)).not.toBe(fold(other))
})

// The names of things, a typed one, and the numbers of those that have it.
test.each<[names: string[], typed: string, numbers: number[]]>([
  [['VIP'], ' v\u200bip ', [0]],
  [['VIP', 'vip'], 'vip', [1]],
  [['VIP', 'vip'], 'Vip', [0, 1]],
  [['VIP', 'VIP', 'vip'], 'VIP', [0, 1, 2]],
  [['VIP ', 'VIP'], 'VIP', [1]],
  [['', ' ', '\u200b'], '', []],
  [['', 'VIP'], '\u2060', []],
  [['Caf\u00e9', 'cafe\u0301'], 'Cafe\u0301', [0]],
])('of %j, %j is %j', (names, typed, numbers) => {
  const found = havingName([...names.keys()], (at) => names[at] ?? '', typed)
  expect(found).toEqual(numbers)
})

test.each([
  ['search', 'search', true],
  ['serch', 'search', true],
  ['searrch', 'search', true],
  ['saarch', 'search', true],
  ['serach', 'search', true],
  ['earch', 'search', true],
  ['searchs', 'search', true],
  ['searhc', 'search', true],
  ['a', '', true],
  ['seach', 'saerch', false],
  ['srch', 'search', false],
  ['hcraes', 'search', false],
  ['', 'se', false],
])('%j is near %j: %j', (one, other, near) => {
  expect([isNear(one, other), isNear(other, one)]).toEqual([near, near])
})
