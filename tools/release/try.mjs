/**
 * Tries the executable for Linux x64 that `npm run release` has made: alone in a folder with an empty PATH, and in a chroot without
 * Node, shell, network and /proc.
 *
 *   node tools/release/try.mjs
 *
 * Needs root, unshare, ip and chroot. Prints a line for each step and exits 1 if one failed.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bin, commandLine, ownFolder, root, run } from '../harness/tool.mjs'

commandLine()
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = ownFolder('release')
const title = `svc-${version}-linux-x64`
run('tar', ['-xzf', join(root, 'release', `${title}.tar.gz`), '-C', folder])
const executable = join(folder, title, 'bin/svc')
const env = { PATH: process.env.PATH }
const getList = ['sandbox', 'exec', '--', 'svc', 'lists', 'get', 'VIP', '--json']

const pages = ['--version', '--help', 'lists list --help', 'help bulk', 'completion bash']

/** The executable and the libraries that it needs, and nothing else. */
function makeRoot(place) {
  for (const [, path] of run('ldd', [executable]).matchAll(/(\/\S+) \(0x/g)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    copyFileSync(path, join(place, path))
  }
  mkdirSync(join(place, 'tmp'), { mode: 0o1777 })
  copyFileSync(executable, join(place, 'svc'))
  return place
}

/** Starts a program in a chroot, with a loopback of its own and no other network. */
function inChroot(place, words) {
  // Without a list of users the system knows no home folder.
  const script = `ip link set lo up && PATH=/ HOME=/tmp exec "$(command -v chroot)" "$@"`
  return spawnSync('unshare', ['--net', '--', '/bin/sh', '-c', script, 'sh', place, ...words], {
    env: { PATH: `${env.PATH}:/usr/sbin:/sbin` },
    encoding: 'utf8',
    timeout: 60_000,
  })
}

const steps = {
  'help and completion are those of the build'() {
    for (const page of pages) {
      const words = page.split(' ')
      if (run(executable, words, { env: { PATH: '' } }) !== run(process.execPath, [bin, ...words]))
        throw new Error(`${page} differs`)
    }
  },
  'with an empty PATH'() {
    const { name } = JSON.parse(run(executable, getList, { env: { PATH: '' } }))
    if (name !== 'VIP') throw new Error(`the list is ${name}`)
  },
  'options for Node in its environment are not taken'() {
    const written = ['NODE_V8_COVERAGE', 'NODE_COMPILE_CACHE'].map((name) => [
      name,
      join(folder, name),
    ])
    const options = { NODE_OPTIONS: '--require /nowhere.js', ...Object.fromEntries(written) }
    run(executable, ['--version'], { env: { ...env, ...options } })
    const taken = written.find(([, path]) => existsSync(path))
    if (taken !== undefined) throw new Error(`${taken[0]} was taken`)
  },
  'in a chroot without Node, network and /proc'() {
    const { status, stdout, stderr } = inChroot(makeRoot(join(folder, 'root')), [
      '/svc',
      ...getList,
    ])
    if (status !== 0) throw new Error(`exit ${status}: ${stderr}`)
    if (JSON.parse(stdout).name !== 'VIP') throw new Error(stdout)
  },
}

for (const [what, tryIt] of Object.entries(steps)) {
  try {
    tryIt()
    console.log(`ok      ${what}`)
  } catch (error) {
    console.log(`FAILED  ${what}: ${error.message}`)
    process.exitCode = 1
  }
}
