/**
 * Checks that the build has the packages of `tools/build/bundled.json`, as the lockfile has them.
 * Those that we name ourselves are pinned, and none is installed a second time.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, root } from '../harness/tool.mjs'

commandLine()
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const manifest = read('package.json')
const listed = read('tools/build/bundled.json')
const locked = Object.entries(read('package-lock.json').packages)
const packages = read('dist/packages.json')

const problems = []
const names = [...new Set(packages.map(({ name }) => name))]

for (const name of names)
  if (!listed.includes(name)) problems.push(`${name} is part of the build, but not listed`)
for (const name of listed)
  if (!names.includes(name)) problems.push(`${name} is listed, but not part of the build`)
for (const { name, version, integrity } of packages) {
  const isLocked = locked.some(
    ([path, found]) =>
      path.endsWith(`node_modules/${name}`) &&
      version === found.version &&
      integrity === found.integrity,
  )
  if (!isLocked) problems.push(`${name} ${version} is not what the lockfile has`)
  const wanted = manifest.devDependencies[name]
  if (wanted !== undefined && wanted !== version)
    problems.push(`${name} is ${version}, not pinned: ${wanted}`)
}
for (const name of Object.keys(manifest.dependencies ?? {}))
  problems.push(`${name} would be installed beside the build`)

for (const problem of problems) console.error(problem)
if (problems.length > 0) {
  console.error(
    'after a change that is meant: node bin/build.mjs, and put it into tools/build/bundled.json',
  )
  process.exitCode = 1
} else {
  console.log(`${packages.length} packages are part of the build, all of them listed and locked`)
}
