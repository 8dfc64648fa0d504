/** How a single executable starts: as `bin/svc.js` does, with the build in one file. */
const { start } = require('../../bin/svc.js')

void start(require('../../dist/main.js'), [process.execPath])
