/**
 * Runs the workflow of the public forge here, step by step, as it is in `.github/workflows/ci.yml`: in a fresh clone, with a home
 * folder of its own, for the row of the matrix that this machine is. Prints each step with its exit code; ends with 1 at the first that
 * fails, and for anything in the file that it does not know.
 *
 *   node tools/release/workflow.mjs                    of the last commit
 *   node tools/release/workflow.mjs --commit v2.0.0    of another one
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultLoadersSync } from 'cosmiconfig'
import { commandLine, ownFolder, refuse, root, run } from '../harness/tool.mjs'

const { commit } = commandLine({ commit: 'HEAD' })
const folder = ownFolder('workflow')
const clone = join(folder, 'clone')
const [major] = process.versions.node.split('.')
const here = {
  os: { linux: 'ubuntu-latest', darwin: 'macos-latest', win32: 'windows-latest' }[process.platform],
  node: major,
}
const env = { ...process.env, CI: 'true', HOME: join(folder, 'home'), GIT_CONFIG_GLOBAL: join(folder, 'gitconfig') }

const git = (...words) => run('git', words, { env })
git('clone', '--quiet', root, clone)
git('-C', clone, 'checkout', '--quiet', git('-C', root, 'rev-parse', commit).trim())
mkdirSync(env.HOME)

/** Known members only: one that is not known could change what a step does. */
function only(what, value, ...known) {
  const other = Object.keys(value).find((name) => !known.includes(name))
  if (other !== undefined) refuse(`${what} has "${other}", which this tool does not know`)
  return value
}

const filled = (text) => String(text).replaceAll(/\$\{\{ *matrix\.(\w+) *\}\}/g, (_, name) => here[name])

/** The actions of the forge: the clone is there, and so is the Node. */
function runStep({ uses, run, with: given }, shell) {
  if (uses?.startsWith('actions/checkout@')) return 'is the clone'
  if (uses?.startsWith('actions/setup-node@') && filled(given['node-version']) === major)
    return `is Node ${process.versions.node}`
  if (uses !== undefined || shell !== 'bash') refuse(`the action ${uses} or the shell ${shell} is not known`)
  // As the forge calls it.
  const words = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', filled(run)]
  const { status, signal } = spawnSync(shell, words, { cwd: clone, env, stdio: 'inherit' })
  if (status !== 0) throw new Error(`ended with ${status ?? signal}`)
  return 'ended with 0'
}

const path = '.github/workflows/ci.yml'
const workflow = defaultLoadersSync['.yaml'](path, readFileSync(join(clone, path), 'utf8'))
only(path, workflow, 'name', 'on', 'permissions', 'jobs')
for (const [name, job] of Object.entries(workflow.jobs)) {
  only(name, job, 'strategy', 'runs-on', 'timeout-minutes', 'defaults', 'steps')
  const { os, node } = only(`${name}: matrix`, job.strategy.matrix, 'os', 'node')
  if (!os.includes(here.os) || !node.map(String).includes(major))
    refuse(`${name} does not run on ${here.os}, Node ${major}`)
  console.log(`${name}: ${here.os}, Node ${major}, one of ${os.length * node.length} of its matrix`)
  for (const step of job.steps) {
    const what = only(`${name}: a step`, step, 'name', 'uses', 'with', 'run').name ?? step.uses ?? step.run
    console.log(`step    ${what}`)
    try {
      console.log(`ok      ${what}: ${runStep(step, job.defaults.run.shell)}`)
    } catch (error) {
      console.log(`FAILED  ${what}: ${error.message}`)
      process.exit(1)
    }
  }
}
