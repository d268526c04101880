// A virtual list of so many rows and nothing else: the cheapest thing that scrolls as far. `main.cjs ROWS`
const { app, BrowserWindow } = require('electron');
const { join } = require('node:path');

app.whenReady().then(async () => {
  const window = new BrowserWindow({ width: 1440, height: 900, show: true });
  const rows = process.argv.find((word) => word.startsWith('rows='))?.slice(5) ?? '1000';
  await window.loadFile(join(__dirname, 'list.html'), { query: { rows } });
});
app.on('window-all-closed', () => app.quit());
