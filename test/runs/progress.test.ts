/** The bar and the question on a terminal, events with --progress json, nothing otherwise. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBulkWorld, linesOf } from './bulk-world.ts'
import { onTerminal } from './spawned.ts'

const world = await createBulkWorld()
const { svc, file, sandbox, fresh } = world
const command = (count: number): string =>
  `contacts delete --file ${file('ids', fresh(count))} --yes batches-of=1 --concurrency 1`

it('progress of a later session counts what is left and what it sent again itself', async () => {
  const state = world.state()
  const faults = 'contacts.delete:1=503 contacts.delete:3=401'
  await svc(`${command(6)} ${state}`, { faults, fast: true })
  const { stderr } = await svc(
    `runs resume --last --yes ${state} --progress json --error-format json`,
  )
  const events = linesOf<Readonly<Record<string, unknown>>>(stderr)
  const last = events.findLast(({ type }) => type === 'progress')
  expect(last).toMatchObject({ done: 5, total: 5, failed: 0, retried: 1 })
})

it.each(['', '--progress none', '--progress json -q'])(
  'no progress off a terminal with %j',
  async (options) => {
    const { stderr } = await svc(`${command(3)} ${options} ${world.state()}`)
    expect(stderr).toMatch(/^(?:note: recorded as run \S+\n)?$/)
  },
)

describe('on a real terminal', () => {
  const env = (): Record<string, string> => ({
    ...world.as('read-write'),
    HOME: world.folder,
    SVC_STATE_DIR: join(world.folder, 'bar-state'),
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
