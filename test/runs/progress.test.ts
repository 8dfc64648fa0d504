/** The bar and the question on a terminal, nothing otherwise. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBulkWorld } from './bulk-world.ts'
import { onTerminal } from './spawned.ts'

const world = await createBulkWorld()
const { svc, file, sandbox, fresh } = world
const command = (count: number): string =>
  `contacts delete --file ${file('ids', fresh(count))} --yes batches-of=1 --concurrency 1`

it('no progress off a terminal', async () => {
  const { stderr } = await svc(`${command(3)} ${world.state()}`)
  expect(stderr).toMatch(/^(?:note: recorded as run \S+\n)?$/)
})

describe('on a real terminal', () => {
  const env = (): Record<string, string> => ({
    ...world.as('read-write'),
    HOME: world.folder,
    SVC_STATE_DIR: join(world.folder, 'bar-state'),
    TERM: 'xterm',
  })

  it('a bar with counts, rate and time, and the summary after it', async () => {
    sandbox.setFaults('*=delay,before=30ms')
    const terminal = onTerminal(`svc ${command(40)}`, env(), world.folder)
    await terminal.exited
    sandbox.setFaults()
    expect(terminal.text()).toMatch(/deleting +\d+% .*\d+ of 40 · .*\d+\/s/)
    expect(terminal.text()).toContain('left')
    expect(terminal.text()).toMatch(/deleted\S* +\S*40/)
    // The cursor is given back.
    expect(terminal.text().lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(
      terminal.text().lastIndexOf('\u001b[?25l'),
    )
  })

  it('the count is typed even when standard input carries the ids', async () => {
    writeFileSync(join(world.folder, 'ids.txt'), fresh(4).join('\n'))
    const line = 'cat ids.txt | svc contacts delete - --json > out.json'
    const terminal = onTerminal(line, env(), world.folder)
    await terminal.shows('Type 4:')
    terminal.pty.write('4\r')
    expect((await terminal.exited).exitCode).toBe(0)
  })
})
