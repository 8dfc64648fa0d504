import { describe, expect, it } from 'vitest'
import { readPairs } from '../../src/ids/pairs.ts'
import { idOf, read, refusal, stdin } from './inputs.ts'

const deep = 100_000
const texts: [name: string, text: string][] = [
  ['arrays', `${'['.repeat(deep)}${']'.repeat(deep)}`],
  ['objects', `${'{"id":'.repeat(deep)}1${'}'.repeat(deep)}`],
  ['an array that never ends', '['.repeat(deep)],
  ['an item of an array', `["${idOf(1)}",${'['.repeat(deep)}${']'.repeat(deep)}]`],
  ['a member', `[{"id":"${idOf(1)}","x":${'['.repeat(deep)}${']'.repeat(deep)}}]`],
]

describe('JSON that is nested 100,000 deep is refused in words', () => {
  it.each(texts)('%s', async (_, text) => {
    const pairs = { format: 'json', skipInvalid: false, columns: ['source', 'target'] } as const
    for (const refused of [read(text), read(text, { column: 'a.b' }), readPairs([stdin(text)], pairs)]) {
      const error = await refusal(refused)
      expect(error.exitCode).toBe(2)
      expect(error.message).toBe('standard input is JSON nested more than 64 levels deep')
    }
  })

  it.each(texts)('%s on a line of NDJSON', async (_, text) => {
    const pairs = { format: 'ndjson', skipInvalid: false, columns: ['source', 'target'] } as const
    const content = `{"id":"${idOf(2)}"}\n${text}\n`
    for (const refused of [
      read(content, { format: 'ndjson' }),
      read(content, { column: 'id', format: 'ndjson' }),
      readPairs([stdin(content)], pairs),
    ]) {
      const error = await refusal(refused)
      expect(error.exitCode).toBe(2)
      expect(error.message).toMatch(/line 2: .*is JSON nested more than 64 levels deep$/m)
    }
    const found = await read(content, { format: 'ndjson', skipInvalid: true })
    expect([...found.ids]).toEqual([idOf(2)])
  })
})

it('64 levels are read, brackets in texts are none', async () => {
  const path = Array.from({ length: 63 }, () => 'x').join('.')
  const text = `${'{"x":'.repeat(63)}["${idOf(1)}"]${'}'.repeat(63)}`
  expect([...(await read(text, { column: path })).ids]).toEqual([idOf(1)])
  expect((await refusal(read(`[${text}]`, { column: path }))).message).toContain('more than 64')
  const brackets = JSON.stringify([{ id: idOf(1), note: `\\"${'['.repeat(500)}` }])
  expect([...(await read(brackets)).ids]).toEqual([idOf(1)])
})

it('a rejected value of NDJSON is the line as it stood', async () => {
  const bad: string[] = []
  await read(`{"id":"${idOf(1)}"}\n{ "name" : "Bob" }\n{"id":5}\n`, {
    skipInvalid: true,
    onReject: ({ text }) => void bad.push(text),
  })
  expect(bad).toEqual(['{ "name" : "Bob" }', '{"id":5}'])
})
