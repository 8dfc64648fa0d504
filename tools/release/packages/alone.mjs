/** The executable for Linux where there is nothing else: no Node, no shell, no network, no /proc. Needs root, unshare, nsenter, ip and chroot. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from '../../harness/tool.mjs'
import { trustInRoot, tryCertificate } from './certificate.mjs'
import { killAndResume, tryPages, trySandbox } from './jobs.mjs'

/** A folder with the libraries that a program needs, and nothing else. */
function makeRoot(place, executable) {
  const libraries = run('ldd', [executable]).matchAll(/(\/\S+) \(0x/g)
  for (const [, path] of libraries) {
    mkdirSync(join(place, dirname(path)), { recursive: true })
    copyFileSync(path, join(place, path))
  }
  mkdirSync(join(place, 'tmp'), { recursive: true, mode: 0o1777 })
  return place
}

const chroot = '/usr/sbin/chroot'
/** The words that run what follows in a chroot, on a loopback of its own. `first`: what is done before, in mounts of its own. */
const inChroot = (place, first = 'true') => [
  ...['--net', '--mount', '--', '/bin/sh', '-c'],
  `PATH=/usr/sbin:/sbin:/usr/bin:/bin && here=$1 && shift && ip link set lo up && ${first} && PATH=/ exec ${chroot} "$here" "$@"`,
  ...['sh', place],
]

/** The steps by their names. `kills`: how often a bulk run is killed. */
export function tryWithoutNode(executable, { debian, folder, kills }) {
  const place = join(folder, 'alone')
  const [unshare, nsenter] = ['unshare', 'nsenter'].map((name) => run('which', [name]).trim())
  const env = { PATH: process.env.PATH }
  return {
    'alone in a folder, with an empty PATH'() {
      const only = join(folder, 'only')
      mkdirSync(only)
      copyFileSync(executable, join(only, 'svc'))
      trySandbox(join(only, 'svc'), { PATH: '' })
      tryPages(join(only, 'svc'), { PATH: '' })
      return killAndResume([join(only, 'svc')], only, { hasPath: false, kills })
    },
    'options for Node in its environment are not taken'() {
      const kept = ['NODE_V8_COVERAGE', 'NODE_COMPILE_CACHE'].map((name) => [
        name,
        join(folder, name),
      ])
      const options = {
        NODE_OPTIONS: '--require /nowhere.js --inspect=0',
        ...Object.fromEntries(kept),
      }
      const { status, stderr } = spawnSync(executable, ['--version'], {
        env: { ...env, ...options },
        encoding: 'utf8',
      })
      if (status !== 0 || stderr !== '') throw new Error(`it ended with ${status}: ${stderr}`)
      for (const [name, path] of kept) if (existsSync(path)) throw new Error(`${name} was heard`)
    },
    async 'in a chroot without Node, network and /proc'() {
      makeRoot(place, executable)
      copyFileSync(executable, join(place, 'svc'))
      const words = [
        ...inChroot(place),
        '/svc',
        'sandbox',
        'exec',
        '--',
        'svc',
        'lists',
        'get',
        'VIP',
      ]
      return run(unshare, words, { env }).split('\n')[0]
    },
    // Without them nobody can tell whether a killed process lives, and a resume would wait for a minute.
    'in that chroot with /proc and /etc/machine-id'() {
      for (const name of ['proc', 'etc']) mkdirSync(join(place, name), { recursive: true })
      writeFileSync(join(place, 'etc/machine-id'), `${'0123456789abcdef'.repeat(2)}\n`)
      const command = [unshare, ...inChroot(place, 'mount --rbind /proc "$here/proc"'), '/svc']
      const beside = (pid) => [
        nsenter,
        `--target=${pid}`,
        '--net',
        '--mount',
        '--',
        chroot,
        place,
        '/svc',
      ]
      return killAndResume(command, place, { hasPath: false, inside: '/', beside, kills })
    },
    'the certificate of an authority that this chroot trusts'() {
      const trusting = makeRoot(join(folder, 'trusting'), executable)
      copyFileSync(executable, join(trusting, 'svc'))
      return tryCertificate([chroot, trusting, '/svc'], folder, trustInRoot(trusting))
    },
    'found by its name in that chroot, it does not start itself forever'() {
      const words = [
        ...inChroot(place),
        'svc',
        'sandbox',
        'exec',
        '--',
        'svc',
        'lists',
        'get',
        'VIP',
      ]
      const { status, stderr } = spawnSync(unshare, words, {
        env,
        encoding: 'utf8',
        timeout: 60_000,
      })
      if (status !== 10) throw new Error(`it ended with ${status}: ${stderr}`)
      return stderr.split('\n')[0]
    },
    'the Debian package, installed there and removed'() {
      if (!existsSync(debian)) throw new Error(`${debian} was not made`)
      const system = makeRoot(join(folder, 'debian'), executable)
      for (const name of ['info', 'updates', 'triggers'])
        mkdirSync(join(system, 'var/lib/dpkg', name), { recursive: true })
      copyFileSync('/dev/null', join(system, 'var/lib/dpkg/status'))
      run('dpkg', [`--root=${system}`, '--force-depends', '--log=/dev/null', '-i', debian])
      const [, version] =
        run(unshare, [...inChroot(system), '/usr/bin/svc', '--version']).match(/^(\d\S+)\n/) ?? []
      if (version === undefined) throw new Error('the installed svc does not tell its version')
      const files = readdirSync(join(system, 'usr'), { recursive: true })
      for (const name of ['svc.1.gz', 'completions/svc', '_svc', 'svc.fish'])
        if (!files.some((file) => file.endsWith(name))) throw new Error(`${name} was not installed`)
      run('dpkg', [`--root=${system}`, '--log=/dev/null', '-P', 'svc-cli'])
      const left = existsSync(join(system, 'usr'))
        ? readdirSync(join(system, 'usr'), { recursive: true })
        : []
      const own = left.filter((file) => /svc/.test(file))
      if (own.length > 0) throw new Error(`left behind: ${own.join(', ')}`)
      return `version ${version}, manual page, three completions; nothing is left`
    },
  }
}
