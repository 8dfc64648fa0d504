/**
 * The manifests of docs/scripting.md and docs/shards.md, each checked by the tool of its kind.
 *
 * Needs systemd-analyze, crontab (Debian's cron) and promtool (Debian's prometheus), and from the registry the types of Kubernetes and
 * GitLab's schema. What is missing is said, and fails the run.
 *
 *   node tools/schedulers/schedulers.mjs                   all of them
 *   node tools/schedulers/schedulers.mjs systemd cron      only these
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultLoadersSync } from 'cosmiconfig'
import { installed } from '../harness/installed.mjs'
import { commandLine, ownFolder, root } from '../harness/tool.mjs'

const folder = ownFolder('schedulers')
const pages = ['scripting', 'shards'].map((name) => readFileSync(join(root, `docs/${name}.md`), 'utf8')).join('')
const files = new Map([...pages.matchAll(/^```\w+ (\S+)\n([^]*?)^```$/gm)].map(([, name, text]) => [name, text]))

/** Writes the files of the pages that end so. */
function written(ending) {
  const names = [...files.keys()].filter((name) => name.endsWith(ending))
  if (names.length === 0) throw new Error(`the pages have no file *${ending}`)
  for (const name of names) writeFileSync(join(folder, name), files.get(name))
  return names
}

/** Returns what is wrong. */
function problemsOf(command, ...words) {
  const { status, error, stdout, stderr } = spawnSync(command, words, { cwd: folder, encoding: 'utf8' })
  if (error?.code === 'ENOENT') return [`not installed: ${command}`]
  return status === 0 && stderr === '' ? [] : [`${command} ended with ${status}:\n${stdout}${stderr}`]
}

const loads = (name, text) => defaultLoadersSync['.yaml'](name, text)

const checks = {
  systemd() {
    const units = ['.service', '.timer'].flatMap((ending) => written(ending))
    // Known from version 254 on; what is before it ignores it, as the page says.
    const older = /ended with 0:\n\S+: Unknown key 'RestartMode' in section \[Service\], ignoring\.\n$/
    return problemsOf('systemd-analyze', 'verify', '--man=no', ...units).filter((text) => !older.test(text))
  },
  cron() {
    const problems = written('.cron').flatMap((name) => problemsOf('crontab', '-n', name))
    return problems.filter((text) => !text.includes('syntax of the crontab file was successfully checked'))
  },
  prometheus: () => written('alerts.yaml').flatMap((name) => problemsOf('promtool', 'check', 'rules', name)),
  /** As values of the types that Kubernetes gives its objects: no unknown member, none missing, none of another type. */
  kubernetes() {
    symlinkSync(installed('tools/schedulers'), join(folder, 'node_modules'))
    const texts = written('job.yaml').flatMap((name) => files.get(name).split(/^---$/m))
    const typed = texts.map((text, index) => {
      const object = loads('manifest', text)
      // A piece of a job has neither.
      const { apiVersion = 'batch/v1', kind = 'Job' } = object
      const module = apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`
      const name = `${index}.ts`
      const value = JSON.stringify(object, undefined, 1)
      const type = `import type { ${kind} } from 'kubernetes-types/${module}'`
      writeFileSync(join(folder, name), `${type}\nexport const object: ${kind} = ${value}\n`)
      return name
    })
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'preserve', '--types', '', '--ignoreConfig']
    return problemsOf(process.execPath, tsc, ...options, ...typed)
  },
  gitlab() {
    const program = join(installed('tools/schedulers'), 'gitlab-ci-local/dist/index.js')
    written('.gitlab-ci.yml')
    for (const words of ['init -q', 'remote add origin https://git.example.com/a/b.git'])
      spawnSync('git', words.split(' '), { cwd: folder })
    // It is made for Node 22.
    const union = 'Set.prototype.union ??= function (other) { return new Set([...this, ...other]) }'
    const imported = `data:text/javascript,${encodeURIComponent(union)}`
    const problems = problemsOf(process.execPath, '--import', imported, program, '--list-json')
    return problems.filter((text) => !/ended with 0:[^]*json schema validated/.test(text))
  },
}

const { words: asked } = commandLine({}, Object.keys(checks))
let failed = 0
for (const name of asked.length > 0 ? asked : Object.keys(checks)) {
  const problems = checks[name]()
  console.log(problems.length === 0 ? `${name}: ok` : `${name}: ${problems.join('\n')}`)
  failed += problems.length
}
process.exitCode = failed === 0 ? 0 : 1
