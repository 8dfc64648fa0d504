/** The state folder, and files that decide trust: whose they are, and who else can write there. */
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { Runs } from '../../src/runs/list.ts'
import { SvcError } from '../../src/errors.ts'
import { checkStateFolder, findDistrust } from '../../src/config/trust.ts'
import { makeFolders, missingFolders } from '../../src/output/whole.ts'
import { nodeHost } from '../../src/host.ts'
import { ownFolder } from '../ending.ts'

const { disk } = nodeHost(process)

const me = process.geteuid?.()
const myGroup = process.getegid?.()
const ways = 'name another folder with --state-dir or SVC_STATE_DIR'
let here = ''

beforeEach(() => {
  here = ownFolder('folder')
})

function folder(name: string, mode: number): string {
  mkdirSync(join(here, name), { recursive: true })
  chmodSync(join(here, name), mode)
  return join(here, name)
}

function refusal(path: string, userId = me): SvcError | undefined {
  try {
    checkStateFolder({ userId, disk }, path)
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
  return undefined
}

describe('the state folder', () => {
  test('is the user’s, and nobody else writes to it', () => {
    for (const mode of [0o700, 0o755, 0o555]) expect(refusal(folder('own', mode))).toBeUndefined()
    for (const mode of [0o777, 0o1777, 0o770, 0o1770, 0o2775, 0o702, 0o722]) {
      const path = folder('own', mode)
      const shown = mode.toString(8).padStart(4, '0')
      const error = refusal(path)
      expect([error?.exitCode, error?.message]).toEqual([
        2,
        `others can write to ${path} (owner id ${me}, group id ${myGroup}, mode ${shown})`,
      ])
      expect(error?.details.hint).toBe(`fix it with:\n  chmod go-w ${path}\nor ${ways}`)
    }
    expect(() => checkStateFolder({ userId: undefined, disk }, folder('own', 0o777))).not.toThrow()
  })

  test('of root or of another user is refused', () => {
    const path = folder('own', 0o700)
    if (me === 0) chownSync(path, 4343, 4343)
    const { uid, gid } = statSync(path)
    const owner = `${path} belongs to another user (owner id ${uid}, group id ${gid}, mode 0700)`
    expect(refusal(path, 4242)?.message).toBe(owner)
    expect(refusal('/', 4242)?.message).toContain('/ belongs to another user')
  })

  test('is no file and no link, and cannot be looked at everywhere', () => {
    writeFileSync(join(here, 'file'), '')
    symlinkSync(folder('own', 0o700), join(here, 'link'))
    for (const name of ['file', 'link'])
      expect(refusal(join(here, name))?.message).toContain('the state folder is not a folder')
    expect(refusal(join(here, 'file/below'))?.message).toContain('a part of the path is not a fold')
    expect(refusal(join(here, 'x'.repeat(300)))?.message).toContain('the name is too long')
  })

  test('may lie anywhere, and is made for this user alone', async () => {
    const open = folder('open', 0o777)
    const runs = new Runs(nodeHost(process), () => join(open, 'state'))
    await runs.prepare()
    expect(statSync(join(open, 'state')).mode & 0o777).toBe(0o700)
    expect(statSync(join(open, 'state/runs')).mode & 0o777).toBe(0o700)
  })
})

describe('a file that decides trust', () => {
  const problem = (path: string, userId = me) => findDistrust({ userId, disk }, path)?.problem
  const file = (path: string, mode = 0o600): string => {
    writeFileSync(join(here, path), '')
    chmodSync(join(here, path), mode)
    return join(here, path)
  }

  test('is judged itself, and with the folder it is in, whatever lies above', () => {
    folder('above', 0o777)
    folder('above/own', 0o755)
    const path = file('above/own/file', 0o644)
    expect(problem(path)).toBeUndefined()
    for (const mode of [0o666, 0o664, 0o646]) {
      chmodSync(path, mode)
      expect(problem(path)).toContain(`others can write to ${path} (`)
    }
    chmodSync(path, 0o644)
    for (const mode of [0o777, 0o775, 0o757]) {
      folder('above/own', mode)
      expect(problem(path)).toContain(`others can write to ${join(here, 'above/own')} (`)
    }
    expect(findDistrust({ userId: undefined, disk }, path)).toBeUndefined()
  })

  test.runIf(me === 0)(
    'is of the user or root, and so is its folder; only root’s may be sticky',
    () => {
      chmodSync(here, 0o755)
      const own = folder('own', 0o1777)
      const path = file('own/file')
      expect(problem(path, 4242)).toBeUndefined()
      chownSync(path, 4343, 0)
      expect(problem(path, 4242)).toContain(`${path} belongs to another user (owner id 4343`)
      chownSync(path, 4242, 0)
      expect(problem(path, 4242)).toBeUndefined()
      chownSync(own, 4242, 4242)
      expect(problem(path, 4242)).toContain(`others can write to ${own} (`)
      chmodSync(own, 0o700)
      expect(problem(path, 4242)).toBeUndefined()
      chownSync(own, 4343, 4242)
      expect(problem(path, 4242)).toContain(`${own} belongs to another user (owner id 4343`)
    },
  )

  test('a link to it is judged as itself and as its target, each with its folder', () => {
    const [shut, open] = [folder('shut', 0o700), folder('open', 0o700)]
    file('shut/file')
    file('open/file')
    symlinkSync('../shut/file', join(open, 'link'))
    symlinkSync('../open/link', join(shut, 'twice'))
    symlinkSync(join(open, 'file'), join(shut, 'to-open'))
    symlinkSync(open, join(shut, 'folder'))
    const all = ['open/link', 'shut/twice', 'shut/to-open', 'shut/folder/file']
    for (const at of all) expect(problem(join(here, at))).toBeUndefined()
    chmodSync(open, 0o777)
    for (const at of all)
      expect(problem(join(here, at)) ?? '').toMatch(/others can write to .*\/(?:open|folder) \(/)
  })

  test.runIf(me === 0)('a link of another user is refused', () => {
    const path = file('file')
    symlinkSync(path, join(here, 'link'))
    lchownSync(join(here, 'link'), 4343, 4343)
    expect(problem(join(here, 'link'))).toContain('link belongs to another user')
  })
})

test('folders that are missing are made, for this user alone; where there can be none it fails', async () => {
  const path = join(folder('own', 0o700), 'a', 'b')
  const made = [join(here, 'own', 'a'), path]
  for (const left of [made, []]) {
    expect(missingFolders({ disk }, path)).toEqual(left)
    await makeFolders({ disk }, path)
  }
  expect(made.map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700])
  writeFileSync(join(path, 'file'), '')
  symlinkSync(join(here, 'nothing'), join(path, 'dangling'))
  for (const wrong of [
    join(path, 'file', 'x'),
    join(path, 'dangling', 'x'),
    '/proc/svc-cannot-make-this/x',
  ])
    await expect(makeFolders({ disk }, wrong)).rejects.toThrow(/^E[A-Z]+: /)
  expect(readdirSync(path).sort()).toEqual(['dangling', 'file'])
})
