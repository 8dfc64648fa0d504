/** Every option of the bulk commands, and the order of events. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { manyIds } from '../input/inputs.ts'
import { textsOf } from '../output/opened.ts'
import { typing } from '../svc.ts'
import { createBulkWorld } from './bulk-world.ts'
import { startSvc } from './spawned.ts'

const world = await createBulkWorld()
const { svc, file, fresh, unsent } = world

it('a command sends 1,000,000 ids at most', async () => {
  const more = file('more', [manyIds(1_000_001)])
  const line = `contacts delete --file ${more} --dry-run`
  // The built program takes half of the time.
  expect(await startSvc(line, { env: world.env }).ended).toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'error: 1,000,001 ids would be sent, but a command sends at most 1,000,000; nothing was sent\n' +
      '  split the file (split -l 1000000 <file>), and send each part with a separate command\n',
  })
})

it('a workbook of receipts, of a run and of the one that resumes it', async () => {
  const ids = world.absent(3)
  const out = world.output('xlsx')
  const more = `--receipts ${out} ${world.state()}`
  await svc(`contacts delete --file ${file('ids', ids)} --yes ${more}`, {
    faults: 'contacts.delete:1=401',
  })
  for (const outcome of ['error', 'not-found']) {
    const [heading, ...rows] = textsOf(readFileSync(out))
    expect(heading?.join(' ')).toBe('ID LINE OUTCOME AT (UTC) BATCH ATTEMPTS CODE MESSAGE')
    expect(rows.map(([id, number, what]) => [id, number, what])).toEqual(
      ids.map((id, n) => [id, `${n + 1}`, outcome]),
    )
    await svc(`runs resume --last --yes ${more}`)
  }
})

it.each(['--receipts', '--annotate'])(
  '%s of a file that is there is refused before anybody is asked, and that stays',
  async (option) => {
    const [there, state] = [file('there.csv', ['mine']), world.state()]
    const asked = typing('y')
    const line = `contacts delete --file ${file('ids', fresh(1))} ${option} ${there} ${state}`
    expect(await unsent(line, 2, asked)).toContain(`file "${there}" already exists`)
    expect([asked.shown(), readFileSync(there, 'utf8')]).toEqual(['', 'mine\n'])
    expect((await svc(`runs list -o ids ${state}`)).stdout).toBe('')
  },
)

it('--reason has 500 characters at most, however many bytes each takes', async () => {
  const withReason = async (text: string) =>
    (await svc(['contacts', 'delete', ...fresh(1), '--dry-run', '--reason', text])).code
  expect([await withReason('😀'.repeat(500)), await withReason('😀'.repeat(501))]).toEqual([0, 2])
})
