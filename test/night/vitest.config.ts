/** Tests that take too long for each change: `npm run figures` runs them, and `npm run docs` those that draw pages. */
import { defineConfig } from 'vitest/config'
import { project, root } from '../vitest.config.ts'

export default defineConfig({
  test: {
    root,
    globalSetup: ['test/setup.ts'],
    projects: [project('night', false, { include: ['test/night/*.test.ts'] })],
  },
})
