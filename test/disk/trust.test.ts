/** Folders that svc keeps things in: whose they are, and who else decides what lies in them. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildBulk } from '../bulk/child.ts'
import { SvcError } from '../../src/errors.ts'
import { checkStateFolder, findDistrust } from '../../src/disk/trust.ts'
import { makeFolders, missingFolders } from '../../src/disk/whole.ts'
import { nodeHost } from '../../src/host.ts'
import { ownFolder } from '../ending.ts'

const { disk } = nodeHost(process)

const me = process.geteuid?.()
const myGroup = process.getegid?.()
const ways =
  'name another folder with --state-dir or SVC_STATE_DIR; a volume must belong to the user, or to root and a group of the user (fsGroup)'
let here = ''

beforeEach(() => {
  here = ownFolder('folder')
})

function folder(name: string, mode: number): string {
  mkdirSync(join(here, name), { recursive: true })
  chmodSync(join(here, name), mode)
  return join(here, name)
}

function refusal(path: string): SvcError {
  try {
    checkStateFolder({ userId: me, disk }, path)
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe('a folder of one’s own', () => {
  const problem = (path: string, userId = me): string | undefined =>
    findDistrust({ userId, disk }, path)?.problem

  test('is one in these modes, and in any where the system has no user ids', () => {
    for (const mode of [0o700, 0o755, 0o1777, 0o1770])
      expect(problem(folder('own', mode))).toBeUndefined()
    expect(findDistrust({ userId: undefined, disk }, folder('own', 0o777))).toBeUndefined()
  })

  test('is none when it belongs to somebody else; root’s is one for runs only', () => {
    const path = folder('own', 0o700)
    if (me === 0) chownSync(path, 4343, 4343)
    const { uid, gid } = statSync(path)
    const owner = `${path} belongs to another user (owner id ${uid}, group id ${gid}, mode 0700)`
    expect(problem(path, 4242)).toBe(owner)
    expect(problem('/', 4242)).toBeUndefined()
    expect(() => checkStateFolder({ userId: 4242, disk }, '/', true)).toThrow('belongs to another')
  })

  test.each([0o777, 0o702, 0o722])('is none when others can write to it (%o)', (mode) => {
    const path = folder('own', mode)
    const { exitCode, message, details } = refusal(path)
    const owner = `(owner id ${me}, group id ${myGroup}, mode 0${mode.toString(8)})`
    expect([exitCode, message]).toEqual([2, `others can write to ${path} ${owner}`])
    expect(details.hint).toBe(`fix it with:\n  chmod go-w ${path}\nor ${ways}`)
  })

  test('is none below or behind a link into one that others can write, unless that is sticky', () => {
    const path = folder('open/between/own', 0o700)
    const open = join(here, 'open')
    symlinkSync(path, join(here, 'link'))
    for (const at of [
      path,
      join(path, 'missing'),
      join(open, 'missing', 'too'),
      join(here, 'link'),
    ]) {
      chmodSync(open, 0o777)
      expect(problem(at) ?? '').toMatch(/others can write to .*open \(.*mode 0777\)/)
      chmodSync(open, 0o1777)
      expect(problem(at)).toBeUndefined()
    }
  })

  test.runIf(me === 0)(
    'can be written by its group when that has the number or the name of the user, and by no other',
    () => {
      const names: Record<string, string> = {
        '/etc/passwd': 'root:x:0:0\nada:x:4242:2000\nben:x:2000:4242\n',
        '/etc/group': 'root:x:0:\nstaff:x:2000:ada\nada:x:3000:\nben:x:5000:\n',
      }
      const readFileSync = ((path: string) => names[path] ?? '') as typeof disk.readFileSync
      const path = folder('own', 0o700)
      const isUsed = (gid: number): boolean => {
        chownSync(path, 4242, gid)
        chmodSync(path, 0o770)
        const owner = { userId: 4242, groupIds: [2000], disk: { ...disk, readFileSync } }
        return findDistrust(owner, path) === undefined
      }
      expect([4242, 3000].map(isUsed)).toEqual([true, true])
      expect([2000, 5000, 6000].map(isUsed)).toEqual([false, false, false])
      // Neither has a name.
      names['/etc/passwd'] = ''
      expect([4242, 3000, 6000].map(isUsed)).toEqual([true, false, false])
    },
  )

  test('is none behind a link when others can write where the link lies or above where it leads', () => {
    const [shut, open] = [folder('shut/own', 0o700), folder('open', 0o700)]
    symlinkSync(folder('open/own', 0o700), join(here, 'to-open'))
    symlinkSync(shut, join(here, 'to-shut'))
    symlinkSync(shut, join(open, 'link'))
    chmodSync(open, 0o777)
    expect(problem(join(here, 'to-shut'))).toBeUndefined()
    for (const at of ['to-open', 'to-open/missing', 'open/link', 'open/link/missing'])
      expect(problem(join(here, at)) ?? '').toContain(`others can write to ${open} (`)
  })

  test('is no file, and cannot be looked at everywhere', () => {
    writeFileSync(join(here, 'file'), '')
    expect(refusal(join(here, 'file')).message).toBe(`not a folder: ${join(here, 'file')}`)
    expect(refusal(join(here, 'file/below')).message).toContain('a part of the path is not a fold')
    expect(refusal(join(here, 'x'.repeat(300))).message).toContain('the name is too long')
  })
})

/** Owner, group and mode of a volume, as schedulers and images make them, for a user 65532 whose groups are 65532 and 2000. */
const volumes: readonly (readonly [uid: number, gid: number, mode: number, isUsed: boolean])[] = [
  [0, 65532, 0o2775, true],
  [0, 2000, 0o2775, true],
  [0, 2000, 0o0770, true],
  [0, 0, 0o1777, true],
  [65532, 65532, 0o0775, true],
  [65532, 65532, 0o0700, true],
  [0, 0, 0o0755, true],
  [0, 3000, 0o2775, false],
  [0, 0, 0o0777, false],
  [65532, 2000, 0o0775, false],
  [65532, 65532, 0o0777, false],
  [1000, 65532, 0o2775, false],
  [1000, 1000, 0o0755, false],
]

describe.runIf(me === 0)('a volume', () => {
  const folders = ownFolder('volumes')
  const paths = volumes.map((_, n) => [join(folders, String(n)), join(folders, String(n), 'below')])
  let refusals = new Map<string, string>()

  beforeAll(async () => {
    chmodSync(folders, 0o755)
    for (const [n, [uid, gid, mode]] of volumes.entries()) {
      const path = join(folders, String(n))
      mkdirSync(path)
      chownSync(path, uid, gid)
      chmodSync(path, mode)
    }
    const program = buildBulk('bulk/record/runs.ts', 'host.ts')
    const script = `import { Runs, nodeHost } from './bulk.mjs'
    process.setgroups([65532, 2000])
    process.setgid(65532)
    process.setuid(65532)
    const refused = []
    for (const path of process.argv.slice(2))
      await new Runs(nodeHost(process), () => path).prepare().catch(({ exitCode, message }) => refused.push([path, exitCode + ' ' + message]))
    console.log(JSON.stringify(refused))`
    const { stdout } = await program.start(script, paths.flat()).finished
    program.remove()
    refusals = new Map(JSON.parse(stdout) as [string, string][])
  })

  test.each(volumes.map((volume, n) => [...volume, n] as const))(
    'of %i:%i with mode %o is used: %s',
    (uid, gid, mode, isUsed, n) => {
      const isReadOnly = uid === 0 && (mode & 0o022) === 0
      const refused = isReadOnly ? 'permission denied' : `(owner id ${uid}, group id ${gid}, mode`
      const isMade = isUsed && !isReadOnly
      for (const path of paths[n] ?? []) {
        const problem = refusals.get(path) ?? 'none'
        expect([problem.slice(0, 2), problem.includes(refused)]).toEqual(
          isMade ? ['no', false] : ['2 ', true],
        )
        const made = statSync(join(path, 'runs'), { throwIfNoEntry: false })
        expect(made && [made.uid, made.mode & 0o777]).toEqual(isMade ? [65532, 0o700] : undefined)
      }
    },
  )
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
