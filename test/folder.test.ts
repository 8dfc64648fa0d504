/** Folders that svc keeps things in: whose they are, and who else decides what lies in them. */
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { SvcError } from '../src/errors.ts'
import { checkStateFolder, folderProblem, makeFolders, missingFolders } from '../src/folder.ts'
import { ownFolder } from './ending.ts'

const me = process.geteuid?.()
let here = ''

beforeEach(() => {
  here = ownFolder('folder')
})

function folder(name: string, mode: number): string {
  mkdirSync(join(here, name), { recursive: true })
  chmodSync(join(here, name), mode)
  return join(here, name)
}

function refusal(path: string, userId = me): SvcError {
  try {
    checkStateFolder({ userId }, path)
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe('a folder of one’s own', () => {
  test.each([0o700, 0o755, 0o1777, 0o1770])('is one (%o)', (mode) => {
    expect(folderProblem({ userId: me }, folder('own', mode))).toBeUndefined()
  })

  test('is none when it belongs to somebody else, root not excepted', () => {
    const path = folder('own', 0o700)
    for (const userId of [(me ?? 0) + 1, 4242]) {
      const { exitCode, message, details } = refusal(path, userId)
      expect([exitCode, message]).toEqual([10, `${path} belongs to another user (id ${me})`])
      expect(details.hint).toBe('name another folder with --state-dir or SVC_STATE_DIR')
    }
    expect(refusal('/', 4242).message).toBe('/ belongs to another user (id 0)')
  })

  test.each([0o777, 0o702, 0o720])('is none when others can write to it (%o)', (mode) => {
    const path = folder('own', mode)
    const { exitCode, message, details } = refusal(path)
    expect([exitCode, message]).toEqual([10, `others can write to the folder ${path} (mode 0${mode.toString(8)})`])
    expect(details.hint).toBe(
      `fix it with:\n  chmod go-w ${path}\nor name another folder with --state-dir or SVC_STATE_DIR`,
    )
  })

  test('is none below one that others can write, unless that is sticky, whether it is there or not', () => {
    const path = folder('open/between/own', 0o700)
    const open = join(here, 'open')
    for (const at of [path, join(path, 'missing'), join(open, 'missing', 'too')]) {
      chmodSync(open, 0o777)
      expect(refusal(at).message).toContain(`others can write to the folder ${open} (mode 0777)`)
      chmodSync(open, 0o1777)
      expect(folderProblem({ userId: me }, at)).toBeUndefined()
    }
  })

  test('is none behind a link into one that others can write', () => {
    folder('open/own', 0o700)
    chmodSync(join(here, 'open'), 0o777)
    symlinkSync(join(here, 'open', 'own'), join(here, 'link'))
    expect(refusal(join(here, 'link')).message).toContain(`others can write to the folder ${join(here, 'open')}`)
  })

  test('has no owner where the system has no user ids', () => {
    expect(folderProblem({ userId: undefined }, folder('own', 0o777))).toBeUndefined()
  })

  test('is no file, and cannot be looked at everywhere', () => {
    folder('own', 0o700)
    writeFileSync(join(here, 'file'), '')
    expect(refusal(join(here, 'file')).message).toContain('a part of the path is not a folder')
    expect(refusal(join(here, 'file', 'below')).message).toContain('a part of the path is not a folder')
    expect(refusal(join(here, 'x'.repeat(300))).message).toContain('the name is too long')
  })
})

describe('making folders', () => {
  test('makes those that are missing, for this user alone', () => {
    const path = join(folder('own', 0o700), 'a', 'b')
    expect(missingFolders(path)).toEqual([join(here, 'own', 'a'), path])
    makeFolders(path)
    expect(missingFolders(path)).toEqual([])
    for (const made of [join(here, 'own', 'a'), path]) expect(statSync(made).mode & 0o777).toBe(0o700)
    makeFolders(path)
  })

  test('fails where there can be none, and does not go on for ever', () => {
    folder('own', 0o700)
    writeFileSync(join(here, 'own', 'file'), '')
    symlinkSync(join(here, 'nothing'), join(here, 'own', 'dangling'))
    for (const path of [
      join(here, 'own', 'file', 'x'),
      join(here, 'own', 'dangling', 'x'),
      '/proc/svc-cannot-make-this/x',
    ]) {
      expect(() => {
        makeFolders(path)
      }).toThrow(/^E[A-Z]+: /)
    }
    expect(readdirSync(join(here, 'own')).sort()).toEqual(['dangling', 'file'])
  })
})
