/** The executable for Linux where there is nothing else: no Node, no shell, no network, no /proc. Needs root, unshare, ip and chroot. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { killAndResume, trySandbox } from './jobs.mjs'

function run(program, ...words) {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${error?.message ?? stdout + stderr}`)
  return stdout
}

/** A folder with the libraries that a program needs, and nothing else. */
function makeRoot(place, executable) {
  const libraries = run('ldd', executable).matchAll(/(\/\S+) \(0x/g)
  for (const [, path] of libraries) {
    mkdirSync(join(place, dirname(path)), { recursive: true })
    copyFileSync(path, join(place, path))
  }
  mkdirSync(join(place, 'tmp'), { recursive: true, mode: 0o1777 })
  return place
}

/** The words that run what follows in a chroot, on a loopback of its own. */
const inChroot = (place) => [
  ...['--net', '--', '/bin/sh', '-c'],
  'ip link set lo up && here=$1 && shift && PATH=/ exec /usr/sbin/chroot "$here" "$@"',
  ...['sh', place],
]

/** Name and test of each step. */
export function tryWithoutNode(executable, debian, folder) {
  const place = join(folder, 'alone')
  const path = process.env.PATH
  const unshare = run('which', 'unshare').trim()
  const env = { PATH: path }
  return [
    [
      'alone in a folder, with an empty PATH',
      () => {
        const only = join(folder, 'only')
        mkdirSync(only)
        copyFileSync(executable, join(only, 'svc'))
        trySandbox(join(only, 'svc'), { PATH: '' })
        return killAndResume(join(only, 'svc'), only, { hasPath: false })
      },
    ],
    [
      'in a chroot without Node, network and /proc',
      async () => {
        makeRoot(place, executable)
        copyFileSync(executable, join(place, 'svc'))
        const { stdout, stderr } = spawnSync(
          unshare,
          [...inChroot(place), '/svc', 'sandbox', 'exec', '--', 'svc', 'lists', 'get', 'VIP'],
          { env, encoding: 'utf8' },
        )
        if (!stdout.includes('VIP')) throw new Error(stderr)
        return stdout.split('\n')[0]
      },
    ],
    [
      'found by its name in that chroot, it does not start itself for ever',
      () => {
        const words = [...inChroot(place), 'svc', 'sandbox', 'exec', '--', 'svc', 'lists', 'get', 'VIP']
        const { status, stderr } = spawnSync(unshare, words, { env, encoding: 'utf8', timeout: 60_000 })
        if (status !== 10) throw new Error(`it ended with ${status}: ${stderr}`)
        return stderr.split('\n')[0]
      },
    ],
    [
      'the Debian package, installed there and removed',
      () => {
        if (!existsSync(debian)) throw new Error(`${debian} was not made`)
        const system = makeRoot(join(folder, 'debian'), executable)
        for (const name of ['info', 'updates', 'triggers'])
          mkdirSync(join(system, 'var/lib/dpkg', name), { recursive: true })
        copyFileSync('/dev/null', join(system, 'var/lib/dpkg/status'))
        run('dpkg', `--root=${system}`, '--force-depends', '--log=/dev/null', '-i', debian)
        const [, version] = run(unshare, ...inChroot(system), '/usr/bin/svc', '--version').match(/^(\d\S+)\n/) ?? []
        if (version === undefined) throw new Error('the installed svc does not tell its version')
        const files = readdirSync(join(system, 'usr'), { recursive: true })
        for (const name of ['svc.1.gz', 'completions/svc', '_svc', 'svc.fish'])
          if (!files.some((file) => file.endsWith(name))) throw new Error(`${name} was not installed`)
        run('dpkg', `--root=${system}`, '--log=/dev/null', '-P', 'svc-cli')
        const left = existsSync(join(system, 'usr')) ? readdirSync(join(system, 'usr'), { recursive: true }) : []
        const own = left.filter((file) => /svc/.test(file))
        if (own.length > 0) throw new Error(`left behind: ${own.join(', ')}`)
        return `version ${version}, manual page, three completions; nothing is left`
      },
    ],
  ]
}
