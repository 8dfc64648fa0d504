/**
 * Tries the executable for Linux x64 of `npm run release` with an empty PATH, and in a chroot
 * without Node, shell, network and /proc. Needs root, unshare, ip and chroot.
 *
 *   node tools/release/try.mjs
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bin, commandLine, ownFolder, root, run } from '../harness/tool.mjs'

commandLine()
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = ownFolder('release')
const title = `svc-${version}-linux-x64`
run('tar', ['-xzf', join(root, 'release', `${title}.tar.gz`), '-C', folder])
const executable = join(folder, title, 'bin/svc')
const getList = ['sandbox', 'exec', '--', 'svc', 'lists', 'get', 'VIP', '--json']

/** Throws if this is not what `getList` prints. */
function checkList(stdout) {
  const { name } = JSON.parse(stdout)
  if (name !== 'VIP') throw new Error(`the list is ${name}`)
}

const pages = ['--version', '--help', 'lists list --help', 'help bulk', 'completion bash']

/** Returns a folder with the executable and its libraries alone. */
function makeRoot() {
  const place = join(folder, 'root')
  for (const [, path] of run('ldd', [executable]).matchAll(/(\/\S+) \(0x/g)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    copyFileSync(path, join(place, path))
  }
  mkdirSync(join(place, 'tmp'), { mode: 0o1777 })
  copyFileSync(executable, join(place, 'svc'))
  return place
}

/** Returns the output of a program in a chroot, with a loopback and no other network. */
function inChroot(place, words) {
  // The only program in there is /svc, which `sandbox exec` starts again. The home folder has to be
  // set, because there is no list of users.
  const script = `ip link set lo up && PATH=/ HOME=/tmp exec "$(command -v chroot)" "$@"`
  return run('unshare', ['--net', '--', '/bin/sh', '-c', script, 'sh', place, ...words], {
    env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
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
    checkList(run(executable, getList, { env: { PATH: '' } }))
  },
  'variables for Node have no effect'() {
    const NODE_OPTIONS = '--require /nowhere.js'
    // Node would make these folders.
    const [NODE_V8_COVERAGE, NODE_COMPILE_CACHE] = [join(folder, 'coverage'), join(folder, 'cache')]
    const variables = { NODE_OPTIONS, NODE_V8_COVERAGE, NODE_COMPILE_CACHE }
    run(executable, ['--version'], { env: { PATH: '', ...variables } })
    const made = [NODE_V8_COVERAGE, NODE_COMPILE_CACHE].find(existsSync)
    if (made !== undefined) throw new Error(`${made} was made`)
  },
  'in a chroot without Node, shell, network and /proc'() {
    checkList(inChroot(makeRoot(), ['/svc', ...getList]))
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
