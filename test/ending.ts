/** Actions at the end of a test file. A test can add one too, where `afterAll` has no effect. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const endings: (() => unknown)[] = []

/** Called after each test file. */
export async function endAll(): Promise<void> {
  const problems: unknown[] = []
  for (const end of endings.splice(0).toReversed()) {
    try {
      await end()
    } catch (problem) {
      problems.push(problem)
    }
  }
  if (problems.length > 0) throw problems[0]
}

/** The last one first. */
export function atEnd(end: () => unknown): void {
  endings.push(end)
}

/** A folder that goes with the test file. */
export function ownFolder(name: string, parent = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, `svc-${name}-`)))
  atEnd(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  return folder
}
