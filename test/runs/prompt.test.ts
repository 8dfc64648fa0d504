/** Questions before a write: on the terminal itself, and exit 9 where there is none. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { typing } from '../svc.ts'
import { createBulkWorld } from './bulk-world.ts'
import { onTerminal } from './spawned.ts'

const world = await createBulkWorld()
const { svc, file, fresh } = world

function env(): Record<string, string> {
  return {
    ...world.as('read-write'),
    HOME: world.folder,
    SVC_STATE_DIR: join(world.folder, 'state'),
  }
}

/** As one line, however wide the terminal is. */
const unwrapped = (text: string): string => text.replaceAll(/\s+/g, ' ')

describe('the question', () => {
  it('merges of a file are counted, even one', async () => {
    const [a = '', b = ''] = fresh(2)
    const csv = file('p.csv', [`${a},${b}`])
    expect((await svc(`contacts merge --file ${csv} ${world.state()}`, typing('y'))).code).toBe(9)
    const terminal = typing('1')
    expect(
      (await svc(`contacts merge --file ${csv} ${world.state()}`, { terminal: terminal.terminal }))
        .code,
    ).toBe(0)
    expect(unwrapped(terminal.shown())).toContain(`Merge contact ${a} into ${b} on 127.0.0.1`)
    expect(unwrapped(terminal.shown())).toContain('? Type 1:')
  })

  it('one pair on standard input is counted too', async () => {
    const [a = '', b = ''] = fresh(2)
    const terminal = typing('1')
    const { code } = await svc(`contacts merge - ${world.state()}`, {
      ...terminal,
      stdin: `${a},${b}\n`,
    })
    expect([code, unwrapped(terminal.shown())]).toEqual([0, expect.stringContaining('Type 1:')])
  })

  it('the one pair that is left is named when its run is resumed', async () => {
    const [a = '', b = '', c = '', d = ''] = fresh(4)
    const state = world.state()
    const csv = file('left.csv', [`${a},${b}`, `${c},${d}`])
    await svc(`contacts merge --file ${csv} --yes --concurrency 1 ${state}`, {
      faults: 'contacts.merge:2=401',
    })
    const terminal = typing('1')
    const resumed = await svc(`runs resume --last ${state}`, { terminal: terminal.terminal })
    expect([resumed.code, unwrapped(terminal.shown())]).toEqual([
      0,
      expect.stringContaining(`Merge contact ${c} into ${d} of run`),
    ])
  })
})

it('on a real terminal the count is typed even when standard input carries the ids', async () => {
  writeFileSync(join(world.folder, 'ids.txt'), fresh(4).join('\n'))
  const terminal = onTerminal(
    'cat ids.txt | svc contacts delete - --json > out.json',
    env(),
    world.folder,
  )
  await terminal.shows('Type 4:')
  terminal.pty.write('4\r')
  expect((await terminal.exited).exitCode).toBe(0)
})
