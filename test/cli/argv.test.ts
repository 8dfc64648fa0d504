import { describe, expect, test } from 'vitest'
import { callOf } from '../../src/program/call.ts'
import { readCommandLine } from '../../src/program/command-line.ts'
import { program } from '../tree.ts'

describe('a command line', () => {
  const call = async (...words: string[]) => callOf(await readCommandLine(program, words))

  test('the values that a verb is called with', async () => {
    const typed = ['-vqv', 'lists', 'list', '--limit', '3', '--no-header', '--json']
    expect(await call(...typed)).toMatchObject({
      command: { path: 'lists list' },
      arguments: [],
      options: { limit: 3 },
      allOptions: { limit: 3, verbose: 2, quiet: true, header: false, truncate: true, json: true },
    })
    const changed = await call(
      'contacts',
      'delete',
      '5f'.repeat(12),
      '--file',
      'a',
      '--file=b',
      '--',
      '-x',
    )
    expect(changed?.arguments).toEqual([['5f'.repeat(12), '-x']])
    expect(changed?.options).toMatchObject({ file: ['a', 'b'], where: [] })
    expect((await call('lists', 'get'))?.arguments).toEqual([undefined])
    expect(await call('lists', '-q')).toBeUndefined()
  })

  test('80,000 words in less than a second of the processor', async () => {
    const before = process.cpuUsage().user
    const ids = Array.from({ length: 80_000 }, (_, n) => n.toString(16).padStart(24, 'f'))
    expect((await call('contacts', 'delete', ...ids, '--yes'))?.arguments).toEqual([ids])
    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000)
  })
})
