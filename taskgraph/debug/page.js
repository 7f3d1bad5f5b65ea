"use strict";
// Once a second the part that changes is fetched again and put in place of the old one. What the
// reader has focused, opened or scrolled stays as it is.
{
	const live = document.getElementById("live"), pause = document.getElementById("pause");
	const period = 1000;
	let paused = false;

	// counts returns what is counted, by name, and when.
	const counts = () => {
		const now = Number(live.querySelector("[data-now]").dataset.now), of = new Map();
		for (const cell of live.querySelectorAll("[data-counter]")) {
			of.set(cell.dataset.counter, Number(cell.textContent));
		}
		return { now, of };
	};

	// rates writes how fast each count has grown since the last one.
	const rates = (last) => {
		const next = counts(), seconds = (next.now - last.now) / 1000;
		for (const cell of live.querySelectorAll("[data-counter]")) {
			const before = last.of.get(cell.dataset.counter);
			if (before !== undefined && seconds > 0) {
				const rate = (Number(cell.textContent) - before) / seconds;
				cell.nextElementSibling.textContent = rate.toFixed(rate < 10 ? 1 : 0);
			}
		}
		return next;
	};

	const replace = (text) => {
		const focused = document.activeElement && document.activeElement.id;
		const open = new Map(), scrolled = new Map();
		for (const d of live.querySelectorAll("details[id]")) open.set(d.id, d.open);
		for (const r of live.querySelectorAll("[role=region]")) {
			scrolled.set(r.getAttribute("aria-label"), [r.scrollLeft, r.scrollTop]);
		}
		live.innerHTML = text;
		for (const d of live.querySelectorAll("details[id]")) {
			if (open.has(d.id)) d.open = open.get(d.id);
		}
		for (const r of live.querySelectorAll("[role=region]")) {
			const at = scrolled.get(r.getAttribute("aria-label"));
			if (at) [r.scrollLeft, r.scrollTop] = at;
		}
		const again = focused && document.getElementById(focused);
		if (again && again !== document.activeElement) again.focus({ preventScroll: true });
	};

	let last = counts();
	const look = async () => {
		if (!paused && !document.hidden && String(getSelection()) === "") {
			try {
				const answer = await fetch("live" + location.search, { cache: "no-store" });
				if (answer.ok && !paused) {
					replace(await answer.text());
					last = rates(last);
				}
				document.body.classList.toggle("lost", !answer.ok);
			} catch {
				document.body.classList.add("lost"); // the program has ended, or will answer again
			}
		}
		setTimeout(look, period);
	};

	// One run is over: the recorder will overwrite it, and the page keeps it.
	if (!new URLSearchParams(location.search).has("run")) {
		pause.hidden = false;
		pause.addEventListener("click", () => {
			paused = !paused;
			pause.setAttribute("aria-pressed", String(paused));
			pause.textContent = paused ? "Go on" : "Pause";
		});
		setTimeout(look, period);
	}
}
