/** The state folder and the one of compiled code: whose they are, and who else can write there. */
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { messageOf, SvcError } from '../../src/errors.ts'
import {
  absolute,
  findConfigPath,
  makeCodeFolder,
  readTrusted,
  refuseInStateFolder,
  stateFolder,
} from '../../src/config/places.ts'
import type { Host } from '../../src/host.ts'
import { nodeHost } from '../../src/node-host.ts'
import { world } from '../support/config-world.ts'
import { ownFolder } from '../support/ending.ts'
import { hostWith } from '../support/real-host.ts'
import { shownText } from '../support/shown-text.ts'

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

/** What is said of the folder that SVC_STATE_DIR names; the folder itself if nothing is wrong. */
function toldOf(named: string, userId = me) {
  const env = { SVC_STATE_DIR: named, HOME: here }
  try {
    return stateFolder(hostWith({ userId, disk, env }))
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return { exitCode: error.exitCode, told: shownText(error) }
  }
}

describe('the state folder', () => {
  test('is the user’s, and nobody else writes to it', () => {
    for (const mode of [0o700, 0o755]) expect(toldOf(folder('own', mode))).toBe(join(here, 'own'))
    for (const mode of [0o1777, 0o770, 0o702]) {
      const path = folder('own', mode)
      const told = `others can write to ${path}\nfix it with:\n  chmod go-w ${path}`
      expect(toldOf(path)).toEqual({ exitCode: 2, told })
    }
  })

  test('is an absolute path, and may not exist yet', () => {
    expect(toldOf('~/deep/state')).toBe(join(here, 'deep/state'))
    for (const named of ['state', './state', '../state', '~', '~other/state']) {
      const told = expect.stringContaining(`must be an absolute path, not "${named}"`)
      expect(toldOf(named)).toEqual({ exitCode: 2, told })
    }
  })

  test('is no file and no link, and cannot be looked at everywhere', () => {
    writeFileSync(join(here, 'file'), '')
    symlinkSync(folder('own', 0o700), join(here, 'link'))
    for (const name of ['file', 'link', 'file/below']) {
      const what = name === 'file/below' ? 'not a directory' : 'is not a folder'
      const told = expect.stringMatching(new RegExp(`${what}[^]*SVC_STATE_DIR`))
      expect(toldOf(join(here, name))).toEqual({ exitCode: 2, told })
    }
  })

  test('belongs to its user, and the error says which other owner', () => {
    const path = folder('own', 0o700)
    const owner = me === 0 ? 'root' : `number ${me}`
    for (const userId of [me + 1, 0].filter((id) => id !== me)) {
      // As after a first use with sudo.
      const told =
        `${path} belongs to another user: ${owner}\n` +
        `if it should be yours:\n  sudo chown -R "$(id -u)" ${path}`
      expect(toldOf(path, userId)).toEqual({ exitCode: 2, told })
    }
  })
})

test('a file does not come into the state folder, however the folder is written', () => {
  for (const written of ['/runs', '/runs/', '/x/../runs//']) {
    const host = hostWith({ env: { SVC_STATE_DIR: written } })
    expect(() => refuseInStateFolder(host, '/runs/lists.csv')).toThrow('in the state folder')
    refuseInStateFolder(host, '/runs.csv')
  }
})

test('a path in a current folder that was deleted is exit 2', () => {
  const cwd = () => {
    throw Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), { code: 'ENOENT' })
  }
  const host = hostWith({ cwd, env: { HOME: '/home/me' } })
  expect(absolute(host, '~/a')).toBe('/home/me/a')
  const message = 'the current folder cannot be used: no such file or directory'
  expect(() => absolute(host, 'a')).toThrow(expect.objectContaining({ exitCode: 2, message }))
})

describe('on Windows', () => {
  /** The folders of a user of Windows, below the temporary one. */
  function windows(env: Record<string, string | undefined> = {}) {
    const [USERPROFILE, APPDATA, LOCALAPPDATA] = ['User', 'Roaming', 'Local'].map((name) =>
      folder(name, 0o777),
    )
    const own = { USERPROFILE, APPDATA, LOCALAPPDATA, HOME: '/home/me' }
    return hostWith({ isWindows: true, userId: 0, disk, env: { ...own, ...env } })
  }

  test('configuration, record and compiled code have the folders of Windows, unless others are named', () => {
    const placesOf = (host: Host) => {
      const paths = [findConfigPath(host)?.path, stateFolder(host), makeCodeFolder(host)]
      return paths.map((path) => path?.replace(`${here}/`, '')).join(' ')
    }
    expect(placesOf(windows())).toBe('Roaming/svc/config.json Local/svc Local/svc/code')
    const [XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME] = ['x', 'y', 'z'].map((name) =>
      join(here, 'User', name),
    )
    const xdg = windows({ XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME })
    expect(placesOf(xdg)).toBe('User/x/svc/config.json User/y/svc User/z/svc/code')
    const named = windows({ SVC_CONFIG: '~/c.yaml', SVC_STATE_DIR: '~\\runs' })
    expect(findConfigPath(named)?.path).toBe(join(here, 'User/c.yaml'))
    const none = windows({ APPDATA: '', LOCALAPPDATA: '' })
    expect(findConfigPath(none)).toBeUndefined()
    const hint = expect.stringContaining('set APPDATA and LOCALAPPDATA') as string
    const details = expect.objectContaining({ hint }) as object
    expect(() => stateFolder(none)).toThrow(expect.objectContaining({ exitCode: 2, details }))
  })

  test.each([
    ['User/x', 'trusted', 'trusted'],
    ['Roaming/svc/x', 'trusted', 'trusted'],
    ['Local/svc/x', 'trusted', 'trusted'],
    ['User/../Public/x', 'refused', 'refused'],
    ['Public/x', 'refused', 'refused'],
    ['Username/x', 'refused', 'refused'],
    ['from/x', 'refused', 'trusted'],
    ['User/to/x', 'trusted', 'refused'],
  ])('%s is %s before it is there, and then %s, whatever its mode', (name, before, then) => {
    for (const each of ['Public', 'Username', 'User', 'Roaming/svc', 'Local/svc'])
      folder(each, 0o777)
    // Links stand for the short names of folders, too.
    symlinkSync(join(here, 'User'), join(here, 'from'))
    symlinkSync(join(here, 'Public'), join(here, 'User/to'))
    const path = join(here, name)
    const host = windows({ SVC_CONFIG: path, SVC_STATE_DIR: path })
    const said = (act: () => unknown) => {
      try {
        act()
        return 'trusted'
      } catch (error) {
        return messageOf(error) === `others may be able to write to ${path}` ? 'refused' : error
      }
    }
    for (const act of [stateFolder, findConfigPath]) expect(said(() => act(host))).toBe(before)
    writeFileSync(path, 'text', { mode: 0o666 })
    expect(said(() => readTrusted(host, path))).toBe(then)
  })
})

test('the folder of compiled code is of this user alone, and is not used when others can write to it', () => {
  const { host, home } = world()
  const path = join(home, '.cache/svc/code')
  expect([makeCodeFolder(host), makeCodeFolder(host)]).toEqual([path, path])
  expect(statSync(path).mode & 0o777).toBe(0o700)
  chmodSync(path, 0o770)
  expect(makeCodeFolder(host)).toBeUndefined()
})

test('the folder of compiled code is nowhere without a home, and where no folder can be made', () => {
  expect(makeCodeFolder(world({ env: { HOME: '' } }).host)).toBeUndefined()
  const { host, home } = world()
  writeFileSync(join(home, '.cache'), '')
  expect(makeCodeFolder(host)).toBeUndefined()
})
