/** The state folder and the one of compiled code: whose they are, and who else can write there. */
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { SvcError } from '../../src/errors.ts'
import {
  absolute,
  makeCodeFolder,
  refuseInStateFolder,
  stateFolder,
} from '../../src/config/paths.ts'
import { nodeHost } from '../../src/node-host.ts'
import { world } from '../support/config-world.ts'
import { ownFolder } from '../support/ending.ts'
import { hostWith } from '../support/real-host.ts'

const { disk } = nodeHost(process)

const me = process.geteuid?.() ?? -1
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
    stateFolder(hostWith({ userId, disk, env: { SVC_STATE_DIR: path } }))
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
  return undefined
}

describe('the state folder', () => {
  test('is the user’s, and nobody else writes to it', () => {
    for (const mode of [0o700, 0o755]) expect(refusal(folder('own', mode))).toBeUndefined()
    for (const mode of [0o1777, 0o770, 0o702]) {
      const path = folder('own', mode)
      const error = refusal(path)
      expect([error?.exitCode, error?.message]).toEqual([2, `others can write to ${path}`])
      expect(error?.details.hint).toBe(`fix it with:\n  chmod go-w ${path}`)
    }
  })

  test('is no file and no link, and cannot be looked at everywhere', () => {
    writeFileSync(join(here, 'file'), '')
    symlinkSync(folder('own', 0o700), join(here, 'link'))
    for (const name of ['file', 'link'])
      expect(refusal(join(here, name))?.message).toContain('is not a folder')
    expect(refusal(join(here, 'file/below'))?.message).toContain('not a directory')
  })
})

test('the state folder belongs to its user, and the error names any other owner', () => {
  const path = folder('own', 0o700)
  for (const userId of [me + 1, 0].filter((id) => id !== me)) {
    const error = refusal(path, userId)
    expect(error?.message).toBe(`${path} belongs to another user, number ${me}`)
    // As after a first use with sudo.
    expect(error?.details.hint).toContain(`sudo chown -R "$(id -u)" ${path}`)
  }
})

test('a file does not come into the state folder, however the folder is written', () => {
  for (const written of ['/runs', '/runs/', '/x/../runs//']) {
    const host = hostWith({ env: { SVC_STATE_DIR: written } })
    expect(() => {
      refuseInStateFolder(host, '/runs/lists.csv')
    }).toThrow('in the state folder')
    refuseInStateFolder(host, '/runs.csv')
  }
})

test('a path in a current folder that was deleted is exit 2', () => {
  const cwd = () => {
    throw Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), { code: 'ENOENT' })
  }
  const host = hostWith({ cwd, env: { HOME: '/home/me' } })
  expect(absolute(host, '~/a')).toBe('/home/me/a')
  expect(() => absolute(host, 'a')).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message: 'the current folder cannot be used: no such file or directory',
    }),
  )
})

describe('the folder of compiled code', () => {
  test('is of this user alone, and is not used when others can write to it', () => {
    const { host, home } = world()
    const path = join(home, '.cache/svc/code')
    expect([makeCodeFolder(host), makeCodeFolder(host)]).toEqual([path, path])
    expect(statSync(path).mode & 0o777).toBe(0o700)
    chmodSync(path, 0o770)
    expect(makeCodeFolder(host)).toBeUndefined()
  })

  test('is nowhere without a home, and where no folder can be made', () => {
    expect(makeCodeFolder(world({ env: { HOME: '' } }).host)).toBeUndefined()
    const { host, home } = world()
    writeFileSync(join(home, '.cache'), '')
    expect(makeCodeFolder(host)).toBeUndefined()
  })
})
