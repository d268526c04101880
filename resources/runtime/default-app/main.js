// The application that the fallback runtime starts in the place of Electron's own default_app.asar:
// `electron [-r FILE]… [--switch]… APPLICATION`, where APPLICATION is a folder with a package.json or a
// script. Chromium has already taken its switches; what follows the application belongs to it.
const fs = require('node:fs');
const path = require('node:path');
const { app } = require('electron');

function readCommandLine(args) {
  const preloads = [];
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index];
    if (argument === '-r' || argument === '--require') {
      index += 1;
      preloads.push(args[index]);
    } else if (!argument.startsWith('-')) {
      return { preloads, application: path.resolve(argument) };
    }
  }
  return { preloads, application: undefined };
}

/** What Electron itself does for a folder: name, version and paths come from its package.json. */
function adopt(folder) {
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const name = manifest.productName || manifest.name;
  if (name) {
    app.setName(name);
    app.setPath('userData', path.join(app.getPath('appData'), name));
  }
  if (manifest.version) app.setVersion(manifest.version);
  app.setAppPath(folder);
  return path.join(folder, manifest.main || 'index.js');
}

process.defaultApp = true;
const { preloads, application } = readCommandLine(process.argv.slice(1));
if (application === undefined) {
  process.stderr.write('Give the application to start: electron FOLDER\n');
  app.exit(2);
} else {
  for (const file of preloads) require(path.resolve(file));
  require(fs.statSync(application).isDirectory() ? adopt(application) : application);
}
