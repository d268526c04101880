const height = 28;
const count = Number(new URLSearchParams(location.search).get('rows'));
const list = document.querySelector('#list');
const space = list.firstElementChild;
space.style.height = `${count * height}px`;
const rows = new Map();

function draw() {
  const first = Math.max(0, Math.floor(list.scrollTop / height) - 8);
  const last = Math.min(count - 1, Math.ceil((list.scrollTop + list.clientHeight) / height) + 8);
  for (const [index, row] of rows) {
    if (index >= first && index <= last) continue;
    row.remove();
    rows.delete(index);
  }
  for (let index = first; index <= last; index += 1) {
    if (rows.has(index)) continue;
    const row = document.createElement('p');
    row.textContent = index + 1;
    row.style.transform = `translateY(${index * height}px)`;
    space.append(row);
    rows.set(index, row);
  }
}
list.addEventListener('scroll', draw);
draw();
