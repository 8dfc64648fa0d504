/** Start-up of what users install, the packed tarball, beside another one and an empty program, in turn. The best of each: other work only adds. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { empty, folder, interleave, report, root, serve, time } from './measure.mjs'

const cases = {
  '--version': { words: ['--version'], goal: 1.1 },
  '--help': { words: ['--help'], goal: 1.3 },
  "a command's help": { words: ['lists', 'list', '--help'], goal: 1.35 },
  'a usage error': { words: ['lists', 'list', '--nope'], goal: 1.7 },
  'one request': { words: ['lists', 'list', '--json', '--limit', '20'], goal: 2.7 },
}
const best = (values) => Math.min(...values)

/** `svc.js` of a tarball, installed by npm; of a folder, the one that is there. */
function programOf(path, name) {
  const prefix = join(folder, name)
  if (statSync(path).isDirectory()) return join(path, 'bin/svc.js')
  execFileSync('npm', [
    'install',
    '--global',
    '--offline',
    '--silent',
    '--prefix',
    prefix,
    resolve(path),
  ])
  return join(prefix, 'lib/node_modules/@svc-cli/svc/bin/svc.js')
}

function pack() {
  const place = join(folder, 'packed')
  mkdirSync(place)
  execFileSync('npm', ['pack', '--silent', '--pack-destination', place], {
    cwd: root,
    stdio: 'ignore',
  })
  return join(place, readdirSync(place)[0])
}

/** `against`: a tarball or the folder of another build. */
export async function installed(against) {
  const { env } = await serve(0)
  const bare = empty()
  const programs = { ours: programOf(pack(), 'ours') }
  if (against !== undefined) programs.theirs = programOf(against, 'theirs')
  const runs = { bare: () => time([bare], env) }
  for (const [who, program] of Object.entries(programs))
    for (const [name, { words }] of Object.entries(cases))
      runs[`${who} ${name}`] = () => time([program, ...words], env)
  const times = interleave(runs, 60)
  const least = best(times.bare)
  for (const [name, { goal }] of Object.entries(cases)) {
    const ours = best(times[`ours ${name}`])
    report(
      `installed: ${name} ÷ an empty program`,
      ours / least,
      `≤ ${goal}`,
      `${ours.toFixed(1)} of ${least.toFixed(1)} ms`,
    )
    if (against === undefined) continue
    const theirs = best(times[`theirs ${name}`])
    report(
      `installed: ${name} ÷ the other`,
      ours / theirs,
      '≤ 1',
      `${ours.toFixed(1)} and ${theirs.toFixed(1)} ms`,
    )
  }
}
