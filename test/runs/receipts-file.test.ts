/** The file of --receipts on a real disk: whose it is, and what takes its place. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { checkReceiptsPlace, removeDraft, writeReceipts } from '../../src/runs/receipts-file.ts'
import type { State } from '../../src/runs/state.ts'
import type { Disk } from '../../src/host.ts'
import { ownFolder } from '../support/ending.ts'
import { refusal } from '../support/inputs.ts'
import { countedCalls } from '../support/disks.ts'
import { hostWith, realHost } from '../support/real-host.ts'
import { stateOf } from '../support/records.ts'

const run = 'delete-20260301-101500-3f9a'
let folder: string
let path: string
let draft: string
beforeEach(() => {
  folder = ownFolder('receipts')
  path = join(folder, 'out.csv')
  draft = join(folder, `.out.csv.${run}.part`)
})

/** The state of a run whose `end` names its file, or does not. */
function stateWith(receipts?: string): State {
  const state = stateOf('contacts.delete', 'try done')
  if (receipts !== undefined) state.receiptsFiles.add(receipts)
  return state
}
const write = (text: string, state = stateWith(), disk: Disk = fs) =>
  writeReceipts(hostWith({ disk }), { path, bytes: () => [Buffer.from(text)] }, [], { run, state })
const check = (state?: State) => checkReceiptsPlace(realHost, path, run, state)
const written = () => fs.readFileSync(path, 'utf8')

it('the bytes and the name of the draft are on disk before the file has its name, and the draft stays until the end of the run names it', async () => {
  const { calls, change } = countedCalls()
  await write('one', stateWith(), change(fs))
  expect([calls, written()]).toEqual([['sync file', 'sync folder', 'link', 'sync folder'], 'one'])
  expect([fs.statSync(path).ino, fs.statSync(path).mode & 0o777]).toEqual([
    fs.statSync(draft).ino,
    0o600,
  ])
  removeDraft(realHost, path, run)
  expect(fs.readdirSync(folder)).toEqual(['out.csv'])
})

it('a file that an end of this run names is replaced', async () => {
  fs.writeFileSync(path, 'old')
  const state = stateWith(path)
  check(state)
  await write('new', state)
  expect(written()).toBe('new')
})

it('a file that is the draft of this run is whole, and stays until an end names it', async () => {
  fs.writeFileSync(path, 'whole')
  fs.linkSync(path, draft)
  check(stateWith())
  await write('new')
  expect([written(), fs.existsSync(draft)]).toEqual(['whole', true])
})

it('a draft that a kill has left is no obstacle', async () => {
  fs.writeFileSync(draft, 'half')
  check()
  await write('whole')
  expect(written()).toBe('whole')
})

it('another file is exit 2 before anything is sent, and stays when it comes later: exit 1', async () => {
  fs.writeFileSync(path, 'mine')
  fs.writeFileSync(draft, 'half')
  expect((await refusal(() => check(stateWith('/other.csv')))).exitCode).toBe(2)
  expect((await refusal(write('new'))).exitCode).toBe(1)
  fs.rmSync(path)
  fs.symlinkSync(join(folder, 'elsewhere'), path)
  expect((await refusal(() => check())).exitCode).toBe(2)
  expect((await refusal(write('new'))).exitCode).toBe(1)
  expect(fs.existsSync(join(folder, 'elsewhere'))).toBe(false)
})

it.each(['EPERM', 'ENOTSUP', 'ENOSYS'])(
  'without links there, it is copied, and replaces nothing: %s',
  async (code) => {
    const linkSync = () => {
      throw Object.assign(new Error(code), { code })
    }
    const disk = { ...fs, linkSync }
    await write('one', stateWith(), disk)
    expect(written()).toBe('one')
    expect((await refusal(write('two', stateWith(), disk))).exitCode).toBe(1)
    expect(written()).toBe('one')
  },
)

it('a folder that is not there, or a name that is too long, is exit 2 before anything is sent', async () => {
  path = join(folder, 'nowhere', 'x.csv')
  expect((await refusal(() => check())).exitCode).toBe(2)
  path = join(folder, `${'x'.repeat(240)}.csv`)
  expect((await refusal(() => check())).exitCode).toBe(2)
})
